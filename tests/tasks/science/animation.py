import numpy as np
import matplotlib.pyplot as plt
from matplotlib.animation import FuncAnimation, PillowWriter
from PIL import Image

fig, ax = plt.subplots(figsize=(3, 2))
x = np.linspace(0, 2 * np.pi, 100)
(line,) = ax.plot(x, np.sin(x))

def update(frame):
    line.set_ydata(np.sin(x + frame / 2))
    return (line,)

FuncAnimation(fig, update, frames=6, blit=True).save("wave.gif", writer=PillowWriter(fps=5))
plt.close(fig)
with Image.open("wave.gif") as gif:
    print(gif.format, gif.n_frames, gif.size)
