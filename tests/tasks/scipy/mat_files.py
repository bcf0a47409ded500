import wave

import matplotlib.pyplot as plt
import numpy as np
from scipy import signal
from scipy.io import loadmat, mmread, mmwrite, savemat, wavfile
from scipy.sparse import coo_array

savemat("run.mat", {"speed": np.arange(6.0).reshape(2, 3), "name": "test", "flags": np.array([True, False])})
run = loadmat("run.mat")
print(run["speed"], run["name"], run["flags"])
rate = 8000
tone = (np.sin(2 * np.pi * 440 * np.arange(rate) / rate) * 20000).astype(np.int16)
wavfile.write("tone.wav", rate, tone)
with wave.open("tone.wav") as file:
    print(file.getframerate(), file.getnframes())
read_rate, samples = wavfile.read("tone.wav")
print(read_rate, samples.dtype, np.array_equal(samples, tone))
mmwrite("graph.mtx", coo_array(([1.5, 2.5], ([0, 2], [1, 0])), shape=(3, 3)))
print(mmread("graph.mtx").toarray().tolist())
frequencies, times, power = signal.spectrogram(samples, rate)
plt.pcolormesh(times, frequencies, 10 * np.log10(power + 1e-9), shading="gouraud")
plt.savefig("spectrogram.png")
print(frequencies[power.mean(axis=1).argmax()])
