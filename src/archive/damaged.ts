/** An archive is not what it says it is; what came out of it is not given away. */
export class DamagedArchive extends Error {
  override name = "DamagedArchive";
}
