from boxoffice import plan
from boxoffice.ticket import Ticket


def test_ticket_heading():
    assert Ticket("The Seagull", "Friday", "B4").heading() == "      The Seagull"


def test_plan_heading():
    assert plan.heading("The Seagull") == "        * The Seagull *"
