/** Keys that work in every view. Single letters do nothing while a text field has the focus. */
import { useNavigate } from "@tanstack/react-router";
import { useEffect } from "react";
import { focusAsk } from "../asks/tray-state.ts";
import { openDialog } from "./open-dialog.ts";

export const shortcuts = [
  { keys: "Ctrl K", what: "Search, or run a command" },
  { keys: "/", what: "Write a message" },
  { keys: "g s", what: "Go to status" },
  { keys: "g h", what: "Go to the start page" },
  { keys: "n", what: "Create a lane" },
  { keys: "a", what: "Go to the open asks" },
  { keys: "y, ⇧y, n", what: "In an ask: allow once, allow always, reject" },
  { keys: "1–9, Enter", what: "In an ask: choose an option, answer" },
  { keys: "?", what: "Show these shortcuts" },
  { keys: "Enter", what: "Send a message (Shift Enter for a new line)" },
  { keys: "Esc", what: "Close a dialog, or leave the message box" },
] as const;

export function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}

/** A menu finds its items by their letters, and a dialog keeps its keys to itself. */
function isInLayer(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest("[role=dialog], [role=menu]") !== null;
}

export function useShortcuts(): void {
  const navigate = useNavigate();
  useEffect(() => {
    let previous = "";
    const onKeyDown = (event: KeyboardEvent) => {
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k") {
        event.preventDefault();
        openDialog.set("palette");
        return;
      }
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      if (isInLayer(event.target) || openDialog.latest() !== null) return;
      const keys = previous === "g" ? `g ${event.key}` : event.key;
      previous = event.key;
      const run = actions[keys];
      if (!run) return;
      event.preventDefault();
      run(navigate);
    };
    addEventListener("keydown", onKeyDown);
    return () => removeEventListener("keydown", onKeyDown);
  }, [navigate]);
}

const actions: Readonly<Record<string, (navigate: ReturnType<typeof useNavigate>) => void>> = {
  "/": () => document.querySelector<HTMLElement>("[data-composer]")?.focus(),
  "g s": (navigate) => void navigate({ to: "/status" }),
  "g h": (navigate) => void navigate({ to: "/" }),
  n: () => openDialog.set("new-lane"),
  a: () => focusAsk(),
  "?": () => openDialog.set("shortcuts"),
};
