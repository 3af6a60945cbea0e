# SPDX-License-Identifier: GPL-2.0-or-later
# Lines of C for client/source/layout.c: the layout of each series, group and event record. The
# command uses them for sources without help texts: agents before ESTAT_SHOWN, and archives that
# pmlogreduce(1) wrote. A line is: name, axes, layout. JSON's strings are valid strings of C.
.modules[] |
	(.series[] | (.axes | join("::")) as $axes | .shown as $layout | .groups[] | { name, $axes, $layout }),
	({ name: "estat.\(.name).events", axes: "", layout: .events_shown } | select(.layout != "")) |
	"{ \(.name | tojson), \(.axes | tojson), \(.layout | tojson) },"
