# What each line of git.jsonl begins with: nothing of the machine's own configuration, and a clock that stands.
export HOME=/nonexistent XDG_CONFIG_HOME=/nonexistent GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_COUNT=1
export GIT_CONFIG_KEY_0=init.defaultBranch GIT_CONFIG_VALUE_0=main
export GIT_AUTHOR_NAME='A B' GIT_AUTHOR_EMAIL=a@b.c GIT_COMMITTER_NAME='C D' GIT_COMMITTER_EMAIL=c@d.e
now=1704067200
tick() {
  now=$((now + 60))
  export GIT_AUTHOR_DATE="$now +0000" GIT_COMMITTER_DATE="$now +0000"
}
c() {
  tick
  git commit -qm "$@"
}
tick
git init -q
