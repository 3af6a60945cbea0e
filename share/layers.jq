# SPDX-License-Identifier: GPL-2.0-or-later
# What a source may not say, as agents before estat.layer.above and archives without it: lines of
# C, from the top of the stack to the bottom, a layer, its rank, and what stands above it, as
# ESTAT_LAYER has it. A text of JSON is one of C.
[.modules[].series[].groups[] | select(.rank)] | sort_by(.rank)[] |
	"{ \(.name | ltrimstr("estat.") | tojson), \(.rank), \(.above | tojson) },"
