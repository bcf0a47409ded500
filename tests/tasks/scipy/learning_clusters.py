import numpy as np
from sklearn.cluster import DBSCAN, HDBSCAN, AgglomerativeClustering, KMeans, MiniBatchKMeans
from sklearn.datasets import load_digits, make_blobs
from sklearn.decomposition import NMF, PCA, TruncatedSVD
from sklearn.ensemble import IsolationForest
from sklearn.manifold import TSNE, trustworthiness
from sklearn.metrics import adjusted_rand_score, silhouette_score
from sklearn.mixture import GaussianMixture
from sklearn.neighbors import NearestNeighbors

X, truth = make_blobs(n_samples=240, centers=3, cluster_std=0.8, random_state=7)
for model in [
    KMeans(n_clusters=3, n_init=10, random_state=0),
    MiniBatchKMeans(n_clusters=3, n_init=3, random_state=0),
    DBSCAN(eps=1.0),
    HDBSCAN(min_cluster_size=10),
    AgglomerativeClustering(n_clusters=3),
    GaussianMixture(n_components=3, random_state=0),
]:
    labels = model.fit_predict(X)
    name = type(model).__name__
    print(name, np.unique(labels).tolist(), f"{adjusted_rand_score(truth, labels):.3f} {silhouette_score(X, labels):.3f}")
distances, indices = NearestNeighbors(n_neighbors=3).fit(X).kneighbors(X[:2])
print(indices.dtype, indices.tolist(), distances.round(4).tolist())
print("outliers:", int((IsolationForest(random_state=0, contamination=0.05).fit_predict(X) == -1).sum()))

digits = load_digits().data[:300]
print("explained:", PCA(n_components=5).fit(digits).explained_variance_ratio_.round(4).tolist())
print("singular:", TruncatedSVD(n_components=3, random_state=0).fit(digits).singular_values_.round(2).tolist())
print("error:", round(NMF(n_components=4, init="nndsvda", random_state=0, max_iter=300).fit(digits).reconstruction_err_, 1))
flat = TSNE(n_components=2, random_state=0, perplexity=15, max_iter=300).fit_transform(digits)
print("t-SNE:", flat.shape, trustworthiness(digits, flat) > 0.95)
