import os
import tempfile

import joblib
from sklearn.decomposition import LatentDirichletAllocation
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.linear_model import SGDClassifier
from sklearn.metrics.pairwise import cosine_similarity
from sklearn.naive_bayes import MultinomialNB
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

texts = [
    "the match ended in a draw after extra time", "the striker scored twice in the final",
    "the goalkeeper saved a penalty", "fans cheered as the team won the cup",
    "the new phone has a faster chip", "the update fixes a bug in the browser",
    "engineers released an open source compiler", "the laptop ships with more memory",
]
topics = ["sport"] * 4 + ["technology"] * 4
counts = CountVectorizer(stop_words="english").fit(texts)
print(len(counts.vocabulary_), counts.get_feature_names_out()[:6].tolist())
weights = TfidfVectorizer().fit_transform(texts)
print(weights.shape, weights.nnz, cosine_similarity(weights[:1], weights).round(3).tolist())
for classifier in [MultinomialNB(), LinearSVC(random_state=0), SGDClassifier(random_state=0), MLPClassifier((8,), random_state=0, max_iter=400)]:
    model = make_pipeline(TfidfVectorizer(ngram_range=(1, 2)), classifier).fit(texts, topics)
    print(type(classifier).__name__, model.predict(["the team scored in extra time", "a bug in the compiler"]).tolist())
path = os.path.join(tempfile.mkdtemp(), "model.joblib")
joblib.dump(model, path, compress=3)
print(joblib.load(path).predict(["the cup final"]).tolist())
topic_model = LatentDirichletAllocation(n_components=2, random_state=0).fit(counts.transform(texts))
print(topic_model.transform(counts.transform(texts)).round(2).tolist()[:3], round(topic_model.perplexity(counts.transform(texts)), 2))
