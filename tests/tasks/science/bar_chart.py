import os
import matplotlib.pyplot as plt

languages = ["Python", "JavaScript", "Go", "Rust"]
votes = [68, 64, 23, 19]
fig, ax = plt.subplots(figsize=(8, 5))
bars = ax.bar(languages, votes, color=["#3572A5", "#f1e05a", "#00ADD8", "#dea584"])
ax.set_ylabel("Votes (%)")
ax.set_title("Favourite languages")
for bar in bars:
    ax.text(bar.get_x() + bar.get_width() / 2, bar.get_height() + 1, str(bar.get_height()), ha="center")
plt.tight_layout()
plt.savefig("chart.png", dpi=150)
plt.close()
print(os.path.getsize("chart.png") > 5000)
