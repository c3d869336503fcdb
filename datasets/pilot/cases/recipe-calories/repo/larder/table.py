"""Energy of ingredients in kcal for 100 g, as printed in the booklet."""

KCAL = {
    "butter": 740,
    "flour": 350,
    "milk": 65,
    "oats": 370,
    "sugar": 400,
    "yeast": 100,
}
