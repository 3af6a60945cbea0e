# SPDX-License-Identifier: GPL-2.0-or-later
# What agents that do not say it yet, and archives of theirs, are shown by: lines of C, a name of
# series, groups or events and what its module declares by ESTAT_SHOWN. A text of JSON is one of C.
.modules[] |
	(.series[] | .shown as $shown | .groups[] | { name, $shown }),
	{ name: "estat.\(.name).events", shown: .events_shown } |
	select(.shown != "") | "{ \(.name | tojson), \(.shown | tojson) },"
