# SPDX-License-Identifier: GPL-2.0-or-later
# The layers, for sources without estat.layer.above: older agents, and archives that do not record it.
# Lines of C, from the top of the stack to the bottom: a layer, its rank, and the layers above it as in
# ESTAT_LAYER. A JSON string is a C string, too.
[.modules[].series[].groups[] | select(.rank)] | sort_by(.rank)[] |
	"{ \(.name | ltrimstr("estat.") | tojson), \(.rank), \(.above | tojson) },"
