"""Meetings across time zones, and business days."""
from datetime import date, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

start = datetime(2025, 3, 28, 17, 0, tzinfo=ZoneInfo("Europe/Berlin"))
for hours in (0, 48):
    moment = start + timedelta(hours=hours)
    print(moment.isoformat(), moment.astimezone(ZoneInfo("America/New_York")).strftime("%a %H:%M %Z"))
day, left = date(2025, 12, 24), 3
while left:
    day += timedelta(days=1)
    left -= day.weekday() < 5
print(day, day.isocalendar().week, datetime.fromtimestamp(0, timezone.utc).date())
