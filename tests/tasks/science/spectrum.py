import numpy as np

rate = 1000
t = np.arange(0, 1, 1 / rate)
signal = np.sin(2 * np.pi * 50 * t) + 0.5 * np.sin(2 * np.pi * 120 * t)
spectrum = np.abs(np.fft.rfft(signal)) / len(t) * 2
frequencies = np.fft.rfftfreq(len(t), 1 / rate)
peaks = frequencies[spectrum > 0.3]
print(peaks, spectrum[spectrum > 0.3].round(3))
smooth = np.convolve(signal, np.ones(5) / 5, mode="valid")
print(smooth.shape, round(float(smooth.std()), 4))
