import numpy as np
from scipy import fft

t = np.arange(1000) / 1000
wave = 3 * np.sin(2 * np.pi * 50 * t) + np.cos(2 * np.pi * 120 * t)
spectrum = fft.rfft(wave)
frequencies = fft.rfftfreq(t.size, 1 / 1000)
strongest = np.argsort(np.abs(spectrum))[-2:][::-1]
print(frequencies[strongest], (2 * np.abs(spectrum[strongest]) / t.size).round(6))
print(np.allclose(fft.irfft(spectrum), wave), np.allclose(fft.ifft(fft.fft(wave)).real, wave))
print(fft.fft([1, 2, 3]).round(6))
print(fft.dct([1.0, 2, 3, 4]).round(6), fft.idct(fft.dct([1.0, 2, 3, 4])).round(6))
picture = np.outer(np.hanning(16), np.hanning(24))
print(np.abs(fft.fft2(picture)).sum().round(4), fft.fftshift(fft.fftfreq(6)).round(3), fft.next_fast_len(1021))
print(fft.fft(np.ones(7, np.complex64)).dtype, fft.fftn(np.arange(8).reshape(2, 2, 2)).real.ravel())
