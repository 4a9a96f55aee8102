# Rewrites a trace so that the values of variables are numbers of single precision, as pj_dump holds them.

# Cuts a double to the 24 bits of a float, rounding (Veltkamp).
function single(x, c) {
    c = x * 536870913
    return sprintf("%.17g", c - (c - x))
}

/^[ \t]*%/ {
    at = $1 == "%" ? 2 : 1
    word = $at
    sub(/^%/, "", word)
    if (word == "EventDef") {
        variable = $(at + 1) ~ /^Paje(Set|Add|Sub)Variable$/
        id = $(at + 2)
        fields = value = 0
    } else if (word == "EndEventDef") {
        if (variable)
            behind[id] = fields - value
        variable = 0
    } else if (variable) {
        fields++
        if (word == "Value")
            value = fields
    }
}

$1 in behind { $(NF - behind[$1]) = single($(NF - behind[$1])) }

{ print }
