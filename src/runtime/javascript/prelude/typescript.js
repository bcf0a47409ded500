/** TypeScript and JSX as JavaScript: types are taken off, not checked. Lines keep their numbers. */
export function installTypeScript(_host, hooks) {
  /** What a comment in the first lines says of JSX, as TypeScript reads it. */
  function pragma(source, name) {
    const [, value] = new RegExp(`^\\s*(?:/\\*)?\\s*\\*?.*@${name}\\s+([\\w.$@/-]+)`, "m")
      .exec(source.slice(0, 2000)) ?? [];
    return value;
  }

  /** A constructor whose parameters declare fields. */
  const DECLARING = /\bconstructor\s*\((?:[^()]|\([^()]*\))*?\b(?:public|private|protected|readonly)\s+[\w$]/;

  function optionsOf(source, kind, keepsImports) {
    const runtime = pragma(source, "jsxRuntime");
    const importSource = pragma(source, "jsxImportSource");
    return {
      transforms: kind === "ts" ? ["typescript"] : ["typescript", "jsx"],
      // Fields may be made of what a constructor's parameters declare, which comes before them only where it makes both.
      disableESTransforms: !DECLARING.test(source),
      preserveDynamicImport: true,
      production: true,
      keepUnusedImports: keepsImports,
      jsxPragma: pragma(source, "jsx") ?? "React.createElement",
      jsxFragmentPragma: pragma(source, "jsxFrag") ?? "React.Fragment",
      ...(runtime === "automatic" || importSource) && {
        jsxRuntime: "automatic",
        jsxImportSource: importSource ?? "react",
      },
    };
  }

  /** A field as sucrase makes one, of what gets a name by where it stands. */
  const FIELD =
    /(\b__init(?:Static)?\d*\(\) \{)(this|\w+)\.([A-Za-z_$][\w$]*) = (?=(?:async\s+)?(?:function\b|class\b|\(|[\w$]+\s*=>))/g;
  /** No names of variables. */
  const RESERVED =
    /^(?:arguments|await|break|case|catch|class|const|continue|debugger|default|delete|do|else|enum|eval|export|extends|false|finally|for|function|if|implements|import|in|instanceof|interface|let|new|null|package|private|protected|public|return|static|super|switch|this|throw|true|try|typeof|var|void|while|with|yield)$/;

  /** Functions and classes in fields have the fields' names, as those in variables have: unless one is in the way. */
  function withNames(made) {
    return made.replace(FIELD, (whole, head, owner, name) => {
      const used = new RegExp(`(?<![.\\w$#])${name.replaceAll("$", "\\$")}(?![\\w$])`);
      if (RESERVED.test(name) || used.test(made)) return whole;
      return `${head}let ${name};${owner}.${name} = ${name} = `;
    });
  }

  function failed(message, path, loc) {
    const error = new SyntaxError(message);
    error.stack = `    at ${path}${loc ? `:${loc.line}:${loc.column}` : ""}\n`;
    return error;
  }

  /**
   * The line of a namespace that has values, which sucrase drops without a word; undefined if there is none. What looks
   * like one in a comment or a string is still there in what sucrase made, on the same line.
   */
  function droppedNamespace(source, made) {
    if (!/\b(?:namespace|module)\b/.test(source)) return undefined;
    const [lines, left] = [source.split("\n"), made.split("\n")];
    const found = lines.findIndex((line, index) => {
      const [, head] =
        /^[ \t]*(?:export[ \t]+)?((?:namespace|module)[ \t]+[\w$.]+)[ \t]*(?:\{|$)/.exec(line) ?? [];
      if (head === undefined || left[index]?.includes(head)) return false;
      return /\b(?:const|let|var|function|class|enum)\b/.test(bodyAfter(lines.slice(index).join("\n")));
    });
    return found < 0 ? undefined : found + 1;
  }

  /** From the first brace to the one that closes it. */
  function bodyAfter(text) {
    const from = text.indexOf("{");
    for (let at = from, depth = 0; at < text.length; at++) {
      if (text[at] === "{") depth++;
      if (text[at] === "}" && --depth === 0) return text.slice(from, at);
    }
    return text.slice(from);
  }

  /**
   * @param kind "ts", or "tsx" where `<` may begin JSX.
   * @param keepsImports 1: what is imported stays although nothing here uses it; a later run may.
   * @throws {SyntaxError} that names `path`.
   */
  hooks.toJavaScript = (source, path, kind, keepsImports) => {
    const { objectsOfNamespaces, transform, withoutDecorators } = hooks.library("sucrase");
    let made;
    let plain;
    try {
      const options = optionsOf(source, kind, keepsImports === 1);
      const bare = withoutDecorators(source, kind !== "ts", !options.disableESTransforms);
      plain = objectsOfNamespaces(bare, kind !== "ts");
      made = transform(plain, options).code;
      if (!options.disableESTransforms) made = withNames(made);
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      const reason = error.message.replace(/^Error transforming .*?: /, "").replace(/ \(\d+:\d+\)$/, "");
      throw failed(reason, path, error.loc);
    }
    const line = droppedNamespace(plain, made);
    if (line === undefined) return made;
    throw failed("This TypeScript namespace is not supported: use a module or an object", path, {
      line,
      column: 1,
    });
  };
  hooks.isSyntaxError = (thrown) => thrown instanceof SyntaxError ? 1 : 0;
}
