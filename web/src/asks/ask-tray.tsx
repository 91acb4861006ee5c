/**
 * What agents wait for, above every view. It takes no space when empty, and one line when folded, which is the
 * default in unrelated views.
 */
import { useQuery } from "@tanstack/react-query";
import { useLocation, useParams } from "@tanstack/react-router";
import { lazy, Suspense, useEffect, useRef } from "react";
import type { Ask } from "waybill/client";
import { asksQuery, lanesQuery } from "../live/queries.ts";
import { useStore } from "../live/store.ts";
import { IconButton, Kbd } from "../ui/button.tsx";
import { Icon } from "../ui/icon.tsx";
import { Note } from "../ui/note.tsx";
import { exactText } from "../ui/safe-text.ts";
import { useSmallScreen } from "../ui/use-small-screen.ts";
import { hasDraft } from "./ask-draft.ts";
import { FoldedAsk } from "./folded-ask.tsx";
import { isTrayFolded } from "./tray-fold.ts";
import { answeredHere, focusCard, forgetGone, goneAsks, noteGone, resetTray, tray } from "./tray-state.ts";

const loadCard = () => import("./ask-card.tsx");
const AskCard = lazy(loadCard);

export function AskTray() {
  const { data: listed = [] } = useQuery(asksQuery);
  const answered = useStore(answeredHere);
  const gone = useStore(goneAsks);
  const chosen = useStore(tray);
  const laneName = useLaneName();
  const asks = listed.filter(({ id }) => !answered.has(id));
  useTitle(asks.length);
  // Not part of the initial bundle, but loaded by the time the first ask comes.
  useEffect(() => void loadCard().catch(() => "loaded when it is needed"), []);
  useGoneAsks(listed);
  const keepFocus = useKeptFocus(asks);
  const { lane } = useParams({ strict: false });
  const isStart = useLocation({ select: ({ pathname }) => pathname === "/" });
  const ofLane = asks.find((ask) => ask.lane === lane);
  const isSmallScreen = useSmallScreen();
  const hasOwnAsk = ofLane !== undefined;
  const isFolded = isTrayFolded({ chosen: chosen.isFolded, isStart, hasOwnAsk, isSmallScreen });
  const current = asks.find(({ id }) => id === chosen.open) ?? ofLane ?? asks[0];
  useForgottenChoice(isSmallScreen && asks.length === 0);
  return (
    <>
      <p role="status" className="sr-only">
        {asks.length > 0 && waitWords(asks.length)}
      </p>
      {(asks.length > 0 || gone.length > 0) && (
        <section aria-label="Asks" className="shrink-0 border-b border-line bg-paper" {...keepFocus}>
          {current && <TrayHeader {...{ current, isFolded, laneName }} count={asks.length} />}
          {asks.length > 0 && !isFolded && (
            <ul className="flex max-h-[min(55dvh,30rem)] flex-col gap-1 overflow-y-auto px-2 pb-2">
              {asks.map((ask) => (
                <li key={ask.id}>
                  {ask.id === current?.id ? (
                    <Suspense fallback={<FoldedAsk ask={ask} laneName={laneName(ask.lane)} />}>
                      <AskCard ask={ask} laneName={laneName(ask.lane)} />
                    </Suspense>
                  ) : (
                    <FoldedAsk ask={ask} laneName={laneName(ask.lane)} />
                  )}
                </li>
              ))}
            </ul>
          )}
          {gone.map(({ id, lane }) => (
            <div key={id} className="px-2 py-1">
              <Note icon="hand">
                <div className="flex items-start gap-2">
                  <p className="grow">
                    The ask of {laneName(lane)} has ended: it was answered elsewhere, or the agent no longer waits. Your
                    answer was not sent.
                  </p>
                  <IconButton icon="close" label="Dismiss" className="-my-1" onClick={() => forgetGone(id)} />
                </div>
              </Note>
            </div>
          ))}
        </section>
      )}
    </>
  );
}

type TrayHeaderProps = { current: Ask; count: number; isFolded: boolean; laneName: (lane: string) => string };

/** On a narrow screen, the folded line has room for the ask itself only. */
function TrayHeader({ current, count, isFolded, laneName }: TrayHeaderProps) {
  return (
    <button
      type="button"
      aria-expanded={!isFolded}
      onClick={() => tray.set({ ...tray.latest(), isFolded: !isFolded })}
      className={`flex w-full items-center gap-2 px-3 text-left text-wait hover:bg-hover ${isFolded ? "h-8 max-md:h-10 max-md:bg-wait-soft" : "h-8"}`}
    >
      <Icon name="hand" className="size-4" />
      <span className={`shrink-0 font-semibold ${isFolded ? "max-md:sr-only" : ""}`}>{waitWords(count)}</span>
      {isFolded && (
        <span className="min-w-0 truncate text-muted max-md:text-ink">
          <span className="max-md:font-semibold">{laneName(current.lane)}:</span> {exactText(current.title)}
        </span>
      )}
      <span className="ml-auto flex shrink-0 items-center gap-3 text-sm text-faint">
        {isFolded && (
          <span className="flex items-center gap-2 text-wait md:hidden" aria-hidden="true">
            {count > 1 && <span>+{count - 1}</span>}
            <span className="font-semibold">Answer</span>
          </span>
        )}
        <span className="hidden items-center gap-1 md:flex">
          <Kbd>a</Kbd> to answer
        </span>
        <Icon name="chevron" className={`size-3.5 ${isFolded ? "rotate-90" : "-rotate-90"}`} />
      </span>
    </button>
  );
}

function waitWords(count: number): string {
  return count === 1 ? "An agent is waiting for you" : `${count} asks are waiting for you`;
}

function useLaneName(): (lane: string) => string {
  const { data: lanes = [] } = useQuery(lanesQuery);
  return (id) => lanes.find((lane) => lane.id === id)?.displayName ?? id;
}

function useTitle(count: number): void {
  useEffect(() => {
    document.title = count === 0 ? "Waybill" : `(${count}) Waybill`;
  }, [count]);
}

/** On a small screen, a person unfolds the asks that are there; the next one is one line again. */
function useForgottenChoice(isForgotten: boolean): void {
  useEffect(() => {
    if (isForgotten) resetTray();
  }, [isForgotten]);
}

/** Notes when an ask disappears while a person is answering it. */
function useGoneAsks(listed: readonly Ask[]): void {
  const before = useRef(listed);
  useEffect(() => {
    const ids = new Set(listed.map(({ id }) => id));
    for (const ask of before.current) {
      const isOurs = answeredHere.latest().has(ask.id);
      if (!ids.has(ask.id) && !isOurs && hasDraft(ask.id)) noteGone(ask);
    }
    before.current = listed;
  }, [listed]);
}

/** When the focused ask disappears, the focus moves to the next one, or to the view. */
function useKeptFocus(asks: readonly Ask[]) {
  const focused = useRef<string | null>(null);
  useEffect(() => {
    const { current } = focused;
    if (current === null || asks.some(({ id }) => id === current)) return;
    focused.current = null;
    if (document.activeElement !== document.body) return;
    if (!focusCard("div[data-ask]")) focusCard("#view");
  }, [asks]);
  const idOf = (target: EventTarget | null) =>
    target instanceof HTMLElement ? (target.closest<HTMLElement>("[data-ask]")?.dataset.ask ?? null) : null;
  return {
    onFocus: ({ target }: { target: EventTarget }) => {
      focused.current = idOf(target);
    },
    onBlur: ({ relatedTarget }: { relatedTarget: EventTarget | null }) => {
      if (relatedTarget !== null) focused.current = idOf(relatedTarget);
    },
  };
}
