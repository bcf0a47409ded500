/** The editor: CodeMirror, for the three languages. */

import {
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
} from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { javascript } from "@codemirror/lang-javascript";
import { python } from "@codemirror/lang-python";
import {
  bracketMatching,
  indentOnInput,
  indentUnit,
  StreamLanguage,
  syntaxHighlighting,
} from "@codemirror/language";
import { shell } from "@codemirror/legacy-modes/mode/shell";
import { Compartment, EditorState, type Extension, Prec } from "@codemirror/state";
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  keymap,
  lineNumbers,
  placeholder,
} from "@codemirror/view";
import { classHighlighter } from "@lezer/highlight";
import { useEffect, useRef } from "preact/hooks";
import type { Language } from "./replies.ts";

const GRAMMARS: Readonly<Record<Language, () => Extension>> = {
  python: () => [python(), indentUnit.of("    ")],
  javascript: () => javascript({ typescript: true }),
  shell: () => StreamLanguage.define(shell),
};

/** What is there while nothing is. */
const EXAMPLES: Readonly<Record<Language, string>> = {
  python: "Python: sum(range(10))",
  javascript: "JavaScript or TypeScript: [1, 2, 3].map((n) => n * n)",
  shell: "Shell: ls -la | head",
};

const settingsOf = (language: Language): Extension => [GRAMMARS[language](), placeholder(EXAMPLES[language])];

export interface EditorProps {
  readonly language: Language;
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly onRun: () => void;
}

export function Editor({ language, text, onText, onRun }: EditorProps) {
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(null);
  const grammar = useRef(new Compartment()).current;
  const told = useRef({ onText, onRun });
  told.current = { onText, onRun };

  useEffect(() => {
    const run = () => {
      told.current.onRun();
      return true;
    };
    view.current = new EditorView({
      parent: place.current!,
      state: EditorState.create({
        doc: text,
        extensions: [
          EditorView.cspNonce.of(nonce()),
          Prec.highest(keymap.of([{ key: "Mod-Enter", run }, { key: "Shift-Enter", run }])),
          lineNumbers(),
          history(),
          drawSelection(),
          highlightActiveLine(),
          EditorView.lineWrapping,
          indentOnInput(),
          bracketMatching(),
          closeBrackets(),
          autocompletion(),
          syntaxHighlighting(classHighlighter),
          keymap.of([
            ...closeBracketsKeymap,
            ...completionKeymap,
            ...defaultKeymap,
            ...historyKeymap,
            indentWithTab,
          ]),
          EditorView.contentAttributes.of({
            "aria-label": "Code",
            "aria-describedby": "editor-help",
            "tabindex": "0",
          }),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) told.current.onText(update.state.doc.toString());
          }),
          grammar.of(settingsOf(language)),
        ],
      }),
    });
    return () => view.current?.destroy();
  }, []);

  useEffect(() => {
    view.current?.dispatch({ effects: grammar.reconfigure(settingsOf(language)) });
  }, [language]);

  useEffect(() => {
    const editor = view.current;
    if (!editor || editor.state.doc.toString() === text) return;
    editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: text } });
  }, [text]);

  return <div class="editor" ref={place} />;
}

/** By which the page's policy knows the style that the editor makes. */
function nonce(): string {
  return document.querySelector<HTMLScriptElement>("script[nonce]")?.nonce ?? "";
}
