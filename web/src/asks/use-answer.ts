/**
 * Sends an answer. If the ask has ended, its card disappears with a reason; any other error leaves everything
 * unchanged.
 */
import { useMutation } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import type { Ask, AskAnswer } from "waybill/client";
import { WaybillError } from "waybill/client";
import { client } from "../live/client.ts";
import { refresh } from "../live/queries.ts";
import { useStore } from "../live/store.ts";
import { armedAt, isArmed } from "./ask-keys.ts";
import { answeredHere, lastAnsweredAt, noteAnswered, noteGone } from "./tray-state.ts";

export type Answering = {
  /** Does nothing before the ask accepts answers, or while another answer is in flight. */
  answer: (answer: AskAnswer) => void;
  isArmed: boolean;
  isPending: boolean;
  error: unknown;
};

export function useAnswer(ask: Pick<Ask, "id" | "lane">): Answering {
  const mutation = useMutation({
    mutationFn: (answer: AskAnswer) => client.answer(ask.id, answer),
    onSuccess: () => noteAnswered(ask.id),
    onError: (error) => {
      if (!isOver(error)) return;
      noteAnswered(ask.id);
      noteGone(ask);
    },
    onSettled: () => refresh("asks"),
  });
  const arming = useArming();
  return {
    answer: (answer) => {
      if (arming.isArmedNow() && !mutation.isPending) mutation.mutate(answer);
    },
    isArmed: arming.isArmed,
    isPending: mutation.isPending,
    error: isOver(mutation.error) ? null : mutation.error,
  };
}

/** It was answered elsewhere, or the agent no longer waits. */
function isOver(error: unknown): boolean {
  return error instanceof WaybillError && error.code === "ask_unknown";
}

function useArming() {
  const appearedAt = useRef(performance.now());
  // Every answer moves the cards, so all of them start waiting again.
  const answered = useStore(answeredHere);
  const arming = () => ({ appearedAt: appearedAt.current, lastAnsweredAt: lastAnsweredAt() });
  const [armed, setArmed] = useState(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once per answer
  useEffect(() => {
    const now = performance.now();
    setArmed(isArmed(arming(), now));
    const timer = setTimeout(() => setArmed(true), Math.max(0, armedAt(arming()) - now));
    return () => clearTimeout(timer);
  }, [answered]);
  return { isArmed: armed, isArmedNow: () => isArmed(arming(), performance.now()) };
}
