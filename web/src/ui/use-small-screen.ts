/** A phone, upright or sideways, or a window of its size. */
import { useSyncExternalStore } from "react";

// Not by height alone: the keyboard of a tablet takes some of it.
const smallScreen = matchMedia("(width < 48rem), (width < 60rem) and (height < 30rem)");

export function useSmallScreen(): boolean {
  return useSyncExternalStore(subscribe, () => smallScreen.matches);
}

function subscribe(listener: () => void): () => void {
  smallScreen.addEventListener("change", listener);
  return () => smallScreen.removeEventListener("change", listener);
}
