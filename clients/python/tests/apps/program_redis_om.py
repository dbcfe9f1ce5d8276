"""Finds objects with Redis OM."""

import os
import sys

os.environ["REDIS_OM_URL"] = sys.argv[1]

from redis_om import EmbeddedJsonModel, Field, HashModel, JsonModel, Migrator


class Address(EmbeddedJsonModel, index=True):
    city: str = Field(index=True)
    code: str = Field(index=True)


class Customer(JsonModel, index=True):
    first: str = Field(index=True)
    last: str = Field(index=True)
    age: int = Field(index=True, sortable=True)
    about: str = Field(index=True, full_text_search=True, default="")
    address: Address
    tags: list[str] = Field(index=True, default=[])


class Player(HashModel, index=True):
    name: str = Field(index=True)
    score: int = Field(index=True, sortable=True)
    about: str = Field(index=True, full_text_search=True)


Migrator().run()
people = ("Ann", "Lee", 30, "Paris"), ("Bob", "Ray", 41, "Rome"), ("Cat", "Lee", 25, "Paris"), ("Dan", "O'Neil", 33, "New York")
for i, (first, last, age, city) in enumerate(people):
    address = Address(city=city, code=f"000{i}")
    Customer(first=first, last=last, age=age, about=f"{first} likes running and chess", address=address, tags=["x", f"t{i}"]).save()
    Player(name=first, score=2 * age, about=f"{first} plays football in {city}").save()


def show(query):
    print([getattr(found, "first", None) or found.name for found in query.all()])


show(Customer.find(Customer.last == "Lee").sort_by("age"))
show(Customer.find(Customer.last == "O'Neil"))
show(Customer.find(Customer.age > 26).sort_by("-age"))
show(Customer.find((Customer.last == "Lee") & (Customer.age < 28)))
show(Customer.find((Customer.last == "Ray") | (Customer.age < 28)).sort_by("age"))
show(Customer.find(~(Customer.last == "Lee")).sort_by("age"))
show(Customer.find(Customer.address.city == "New York"))
show(Customer.find(Customer.about % "chess").sort_by("age"))
show(Customer.find(Customer.tags << ["t1", "t2"]).sort_by("age"))
show(Player.find(Player.score >= 66).sort_by("score"))
print(Player.find(Player.about % "football").count())
print(Customer.find(Customer.age == 30).first().address.city)
Customer.find(Customer.age < 31).delete()
print(Customer.find().count())
