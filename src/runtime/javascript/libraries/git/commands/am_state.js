/** What `am` leaves behind where it has stopped, where git has it. */
import { isFile, readBytes, readText, removeTree, writeBytes, writeText } from "../system.js";

const fileOf = ({ refs }, name) => refs.file(`rebase-apply/${name}`);
const mailName = (number) => `${number}`.padStart(4, "0");

export const isApplying = (repository) => isFile(fileOf(repository, "applying"));

/** @param mails As bytes. @param flags Names of options. */
export function beginApplying(repository, mails, flags, before) {
  for (const [at, mail] of mails.entries()) writeBytes(fileOf(repository, mailName(at + 1)), mail);
  writeText(fileOf(repository, "last"), `${mails.length}\n`);
  writeText(fileOf(repository, "flags"), `${flags.join("\n")}\n`);
  writeText(fileOf(repository, "before"), `${before}\n`);
  writeText(fileOf(repository, "applying"), "");
  setNext(repository, 1);
}
export const setNext = (repository, number) => writeText(fileOf(repository, "next"), `${number}\n`);
export const endApplying = ({ refs }) => removeTree(refs.file("rebase-apply"));

/** Which mail is next, and what there is of it all. */
export function applying(repository) {
  const text = (name) => readText(fileOf(repository, name))?.trim() ?? "";
  const [next, last] = [Number(text("next")), Number(text("last"))];
  const mail = next <= last ? readBytes(fileOf(repository, mailName(next))) : undefined;
  return { next, mail, flags: new Set(text("flags").split("\n")), before: text("before") };
}

/** What `status` says of it. */
export const APPLYING = "You are in the middle of an am session.\n" +
  '  (fix conflicts and then run "git am --continue")\n  (use "git am --skip" to skip this patch)\n  (use "git am --abort" to restore the original branch)\n\n';
