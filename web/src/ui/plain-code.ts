/** Why a lane is paused or waits: a code, or what a person wrote. A code reads like words without its underscores. */
export function plainCode(reason: string): string {
  return reason.replaceAll("_", " ");
}
