# SPDX-License-Identifier: GPL-2.0-or-later
# What a source may not say, as agents before ESTAT_SHOWN and archives that pmlogreduce(1) has made,
# which leaves texts and labels out: lines of C, a name of series, groups or events, its axes as the
# help text of its domain has them, and what its module declares. A text of JSON is one of C.
.modules[] |
	(.series[] | (.axes | join("::")) as $axes | .shown as $shown | .groups[] | { name, $axes, $shown }),
	({ name: "estat.\(.name).events", axes: "", shown: .events_shown } | select(.shown != "")) |
	"{ \(.name | tojson), \(.axes | tojson), \(.shown | tojson) },"
