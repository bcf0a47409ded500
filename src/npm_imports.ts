/**
 * Which of npm's packages come because a program imports them: those that are well known, written in JavaScript and of
 * use without a network. No other name is taken from a program's word, as somebody may have registered it to be mistaken
 * for another, or a project may mean a directory of its own.
 */

const WELL_KNOWN = `
@babel/core @babel/generator @babel/parser @babel/traverse @babel/types @datastructures-js/heap
@datastructures-js/priority-queue @datastructures-js/queue @faker-js/faker @noble/ciphers @noble/curves @noble/hashes
@sinclair/typebox @turf/turf abstract-syntax-tree accounting acorn acorn-walk adm-zip ajv ajv-formats ansi-colors
ansi-escapes ansi-regex ansi-styles ansis antlr4 arg arktype arquero array-union asciichart ast-types astring async
axios b4a base-64 base64-js base-x bcryptjs benchmark big-integer big.js bignumber.js binary-search bintrees bl bluebird
bn.js boolbase boxen braces bs58 buffer bytes cacheable callsites camelcase camelcase-keys canonicalize case cbor-x
chai chalk chance change-case cheerio chevrotain chroma-js chrono-node ci-info class-transformer class-validator
classnames clean-css cli-progress cli-table3 cliui clone clone-deep clsx co color color-convert color-name color-string
colord colorette colors combinations comlink commander common-tags compromise concat-map convert-units cookie core-js
countries-list cron-parser cross-spawn crypto-js css css-select css-tree csso csv csv-parse csv-parser csv-stringify
currency.js d3 d3-array d3-color d3-dsv d3-ease d3-force d3-format d3-geo d3-hierarchy d3-interpolate d3-path d3-quadtree
d3-random d3-scale d3-scale-chromatic d3-shape d3-time d3-time-format dagre danfojs-node date-fns date-fns-tz dayjs debug
decamelize decimal.js decimal.js-light dedent deep-eql deep-equal deep-extend deep-object-diff deepmerge defu
delaunator denque depd dequal detect-indent diacritics didyoumean diff diff-match-patch dinero.js dlv docx dom-serializer
domhandler domutils dot-prop dotenv dotenv-expand double-ended-queue dset earcut effect ejs emoji-regex entities errno
escape-goat escape-html escape-string-regexp escodegen eslint-scope esprima estraverse esutils etag eventemitter2
eventemitter3 events exceljs express extend fast-check fast-csv fast-deep-equal fast-diff fast-equals
fast-json-stable-stringify fast-levenshtein fast-sort fast-xml-parser fastest-levenshtein fastq fflate figlet file-type
fill-range filesize find-up flat flatted flexsearch fnv1a fp-ts fraction.js franc front-matter fs-extra fuse.js fuzzysort
generate-password geolib get-stdin gl-matrix glob glob-parent globals globby gpt-tokenizer gradient-string
graceful-fs graphlib graphology gray-matter handlebars has-flag hash-sum hast-util-to-html he heap
heap-js highlight.js hono html-entities html-escaper html-minifier-terser html-to-text htmlparser2 humanize-duration i18next
iconv-lite ieee754 ignore immer immutable indent-string inflected inflection inherits ini ipaddr.js
is-glob is-number is-plain-obj is-plain-object isobject iterall itertools jmespath joi jose jpeg-js js-base64 js-beautify
js-levenshtein js-md5 js-sha256 js-sha3 js-tiktoken js-tokens js-yaml jsbi json-diff json-schema-to-ts json-stable-stringify
json-stringify-safe json2csv json5 jsonata jsonc-parser jsonlines jsonpath jsonpath-plus jsonpointer jsonschema
jsonwebtoken jspdf jsrsasign jssha jstat jszip katex keyv klona kleur ky leven levenshtein
lie limiter linkify-it linkifyjs lodash lodash-es lodash.chunk lodash.clonedeep lodash.debounce lodash.get lodash.groupby
lodash.isequal lodash.merge lodash.set lodash.sortby lodash.throttle lodash.uniq log-symbols log-update logfmt long
lorem-ipsum lowdb lru-cache lunr luxon lz-string magic-string make-dir mammoth map-obj markdown-it markdown-table
marked mathjs matter-js md5 mdast-util-from-markdown memoize memoize-one memoizee merge merge-deep merge-options
micromark micromatch mime mime-types mini-svg-data-uri minimatch minimist minisearch mitt mkdirp ml-array-mean ml-kmeans
ml-knn ml-matrix ml-pca ml-random-forest ml-regression ml-regression-multivariate-linear ml-regression-polynomial
ml-regression-simple-linear mnemonist moment moment-timezone moo morphdom mri ms msgpackr mustache nanoclone nanoevents
nanoid natural-compare natural-orderby ndarray ndarray-ops ndjson nearley neverthrow ngraph.graph ngraph.path noble-ed25519
node-forge node-html-parser nopt normalize-path normalize-url nth-check numbro numeral numeric nunjucks obj-case
object-assign object-hash object-path ohm-js on-change once ora ow p-all p-defer p-event p-filter p-finally
p-limit p-map p-memoize p-queue p-reduce p-retry p-series p-settle p-throttle p-timeout pako papaparse parse-duration
parse-json parse5 parseley path-to-regexp pathfinding pdf-lib pdfkit pdfmake peggy pegjs picocolors picomatch pino
pixelmatch pkce-challenge pluralize pngjs polished postcss postcss-selector-parser postcss-value-parser potrace pptxgenjs
preact preact-render-to-string prettier pretty-bytes pretty-format pretty-ms prismjs promise prompts proper-lockfile
property-expr pug punycode pure-rand q qrcode qrcode-generator qs query-string queue quick-lru quick-select quickselect
rambda ramda random random-js random-seed randomatic randomcolor randombytes range-parser rbush react react-dom readable-stream
recast redux reflect-metadata regenerate regexpp regression rehype rehype-stringify remark remark-gfm remark-html remark-parse
remeda repeat-string rfdc rimraf robust-predicates rou3 rrule rxjs safe-buffer safe-stable-stringify sanitize-html sax
seedrandom semver sentiment sequency serialize-javascript shallowequal shell-quote short-unique-id showdown
simple-statistics simplex-noise slice-ansi slug slugify snarkdown snowball-stemmers sort-keys source-map split split2
sprintf-js stack-utils statuses stemmer stopword stream-json string-similarity string-width strip-ansi strip-bom
strip-indent strip-json-comments striptags sucrase superjson superstruct supports-color svg-path-parser svg-pathdata
svgo svgson tape temporal-polyfill terser text-table three through through2 tiny-emitter tiny-invariant
tinycolor2 tinyqueue title-case to-regex-range toml toposort tough-cookie tr46 treeify trie-search ts-pattern tslib
turndown tweetnacl tweetnacl-util twig type-fest type-is typescript uglify-js uid uint8arrays underscore
underscore.string unicode-trie unified unist-util-visit universalify upper-case url-join url-parse util-deprecate
uuid valibot validate-npm-package-name validate.js validator vary vfile voca voronoi-diagram
wink-nlp-utils winston wordwrap wrap-ansi wrappy xlsx xml-js xml2js xmlbuilder xmlbuilder2 xregexp
xstate xtend y18n yaml yargs yargs-parser yup zod zod-to-json-schema zustand
`;

/** Made when somebody first asks: every Worker loads this file, and few need it. */
let wellKnown: Set<string> | undefined;

/** Whether a package may be installed because a program imports it. @param name As npm calls it. */
export function isWellKnown(name: string): boolean {
  wellKnown ??= new Set(WELL_KNOWN.trim().split(/\s+/));
  return wellKnown.has(name);
}
