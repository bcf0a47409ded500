import json
from datetime import date
from decimal import Decimal
from enum import Enum
from typing import Annotated, Literal, Optional, Union

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    TypeAdapter,
    ValidationError,
    computed_field,
    field_validator,
    model_validator,
)


class Currency(str, Enum):
    EUR = "EUR"
    USD = "USD"


class Item(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    sku: Annotated[str, Field(pattern=r"^[A-Z]{3}-\d{4}$")]
    quantity: int = Field(gt=0, le=1000)
    price: Decimal = Field(max_digits=8, decimal_places=2)
    tags: list[str] = []

    @computed_field
    @property
    def total(self) -> Decimal:
        return self.quantity * self.price


class Card(BaseModel):
    kind: Literal["card"]
    number: str

    @field_validator("number")
    @classmethod
    def only_digits(cls, value: str) -> str:
        if not value.replace(" ", "").isdigit():
            raise ValueError("a card number has digits only")
        return value.replace(" ", "")


class Transfer(BaseModel):
    kind: Literal["transfer"]
    iban: str


class Order(BaseModel):
    id: int
    placed: date
    currency: Currency = Currency.EUR
    items: list[Item]
    payment: Union[Card, Transfer] = Field(discriminator="kind")
    note: Optional[str] = None

    @model_validator(mode="after")
    def has_items(self):
        if not self.items:
            raise ValueError("an order has items")
        return self


raw = """{
  "id": "17", "placed": "2026-03-01", "currency": "USD",
  "items": [{"sku": "ABC-0001", "quantity": 3, "price": "19.99"}, {"sku": "XYZ-9999", "quantity": "2", "price": 5}],
  "payment": {"kind": "card", "number": "4111 1111 1111 1111"}
}"""
order = Order.model_validate_json(raw)
print(repr(order.items[0]))
print(order.payment, order.placed.isoformat(), order.currency.value)
print(sum(item.total for item in order.items))
print(order.model_dump_json(indent=1, exclude_none=True))
print(order.model_dump(mode="json", include={"id", "items"}))

bad = {"id": "x", "placed": "yesterday", "items": [{"sku": "abc", "quantity": 0, "price": "1.234", "colour": "red"}],
       "payment": {"kind": "card", "number": "12a"}}
try:
    Order.model_validate(bad)
except ValidationError as error:
    print(error.error_count(), "errors")
    for each in error.errors(include_url=False):
        print(".".join(map(str, each["loc"])), "|", each["type"], "|", each["msg"])

try:
    order.items[0].quantity = 5
except ValidationError as error:
    print(error.errors()[0]["type"])

print(json.dumps(Item.model_json_schema(), sort_keys=True)[:200])
print(TypeAdapter(dict[str, list[int]]).validate_json('{"a": [1, "2", 3.0]}'))
copy = order.model_copy(update={"note": "fragile"})
print(copy.note, order.note, copy == order)
