"""What a program without network can do about it."""
import socket
import urllib.error
import urllib.request

try:
    urllib.request.urlopen("https://example.org/data.json", timeout=5)
except urllib.error.URLError as e:
    print("offline:", "no network" in str(e))
try:
    socket.create_connection(("example.org", 80))
except OSError as e:
    print(type(e).__name__, "no network" in str(e))
