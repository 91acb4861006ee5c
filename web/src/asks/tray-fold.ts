/** Whether the tray is one line. Pure. */
export type FoldInput = {
  /** What a person chose; null until they do. */
  chosen: boolean | null;
  isStart: boolean;
  /** An ask of the conversation in view. */
  hasOwnAsk: boolean;
  isSmallScreen: boolean;
};

/** On a small screen, an open ask leaves too little of its conversation to decide by. */
export function isTrayFolded({ chosen, isStart, hasOwnAsk, isSmallScreen }: FoldInput): boolean {
  if (chosen !== null) return chosen;
  return !isStart && (isSmallScreen || !hasOwnAsk);
}
