"""Builds a message with an attachment and reads it again."""
import email
from email.message import EmailMessage
from email.policy import default

message = EmailMessage()
message["Subject"] = "Bericht für März"
message["From"], message["To"] = "ann@example.org", "Bob <bob@example.org>"
message.set_content("Hallo Bob,\nanbei der Bericht.")
message.add_attachment(b"a,b\n1,2\n", maintype="text", subtype="csv", filename="report.csv")
again = email.message_from_bytes(bytes(message), policy=default)
print(again["subject"], again["to"].addresses[0].username)
for part in again.walk():
    print(part.get_content_type(), part.get_filename())
