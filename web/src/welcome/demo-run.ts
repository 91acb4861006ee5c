/** The last message tried in the demo. It is still shown after a reload. */
import { useMutation } from "@tanstack/react-query";
import { useRef } from "react";
import { newMessageId } from "../conversation/drafts.ts";
import { client } from "../live/client.ts";
import { createStore } from "../live/store.ts";

export type DemoMessage = { lane: string; text: string };
export type DemoRun = DemoMessage & { messageId: string; deliveryId: string };

const key = "waybill-demo-run";

export const demoRun = createStore<DemoRun | null>(storedRun());

function storedRun(): DemoRun | null {
  try {
    const stored: unknown = JSON.parse(sessionStorage.getItem(key) ?? "null");
    const run = stored as DemoRun | null;
    return typeof run?.deliveryId === "string" && typeof run.lane === "string" ? run : null;
  } catch {
    return null;
  }
}

export function forgetRun(): void {
  sessionStorage.removeItem(key);
  demoRun.set(null);
}

export function useDemoSend() {
  /** A failed send keeps its id, so that trying again does not create two messages. */
  const unsent = useRef<(DemoMessage & { messageId: string }) | null>(null);
  return useMutation({
    mutationFn: async ({ lane, text }: DemoMessage): Promise<DemoRun> => {
      const isSame = unsent.current?.lane === lane && unsent.current.text === text;
      const messageId = isSame && unsent.current ? unsent.current.messageId : newMessageId();
      unsent.current = { lane, text, messageId };
      const { deliveryId } = await client.send({ to: { lane }, text, messageId, source: "ui" });
      return { lane, text, messageId, deliveryId };
    },
    onSuccess: (run) => {
      unsent.current = null;
      sessionStorage.setItem(key, JSON.stringify(run));
      demoRun.set(run);
    },
  });
}
