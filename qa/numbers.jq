# SPDX-License-Identifier: GPL-2.0-or-later
# The numbers in a catalog (share/catalog.c), one a line as in qa/numbers. A module that leaves
# the choice of its cluster to the agent has none to be kept. A domain of keys has the name of
# its series, one of buckets that of its histogram. A layer's instance is made of its rank.
def pmids: "pmid \(.pmid) \(.name)";
def buckets: select(.instances == "buckets") | "indom \(.indom) \(.name)";

(.metrics[] | pmids),
(.modules[] | select(.cluster > 0) |
	(.series[] |
		"indom \(.indom) \(.name)",
		(.groups[] | select(.rank) | "layer \(.rank) \(.name)"),
		(.groups[].metrics[] | pmids, buckets)),
	(.events[], .last[] | pmids))
