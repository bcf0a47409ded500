/** Files of the configuration, in a directory that ends with the test. */

export class ConfigFiles implements Disposable {
  readonly directory = Deno.makeTempDirSync({ prefix: "wasmbox-config-" });

  constructor(files: Readonly<Record<string, string>>) {
    for (const [name, text] of Object.entries(files)) this.write(name, text);
  }

  write(name: string, text: string): void {
    Deno.writeTextFileSync(`${this.directory}/${name}`, text);
  }

  [Symbol.dispose](): void {
    Deno.removeSync(this.directory, { recursive: true });
  }
}
