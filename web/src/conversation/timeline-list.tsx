/**
 * The visible entries of a conversation. It follows the end while that is in view, and keeps its position otherwise.
 */
import { useVirtualizer } from "@tanstack/react-virtual";
import type { RefObject, UIEvent } from "react";
import { useDeferredValue, useEffect, useMemo, useRef, useState } from "react";
import type { Conversation } from "../live/conversations.ts";
import { conversationOf, loadOlder, retryLoading } from "../live/conversations.ts";
import { useStore } from "../live/store.ts";
import { Button } from "../ui/button.tsx";
import { ErrorNote } from "../ui/note.tsx";
import { dayName } from "../ui/time.tsx";
import { MarkedNotice } from "./marked/marked-notice.tsx";
import type { Marked } from "./marked/use-marked.ts";
import { isLost, useMarked, useShowMarked } from "./marked/use-marked.ts";
import { MessageBlock } from "./message-block.tsx";
import type { Entry } from "./timeline.ts";
import { timelineOf } from "./timeline.ts";
import { TurnBlock } from "./turn-block.tsx";
import { useReadMarks } from "./use-read-marks.ts";

type TimelineProps = {
  id: string;
  /** Display names. */
  agent: string;
  /** The id of a message to show. */
  marked: string | null;
};

/** How close to the beginning older messages are loaded. */
const loadAheadPx = 600;
/** How close to the end counts as being there. */
const endPx = 80;

export function Timeline(props: TimelineProps) {
  // Rendering many entries is spread over frames, so that the page stays responsive.
  const conversation = useDeferredValue(useStore(conversationOf(props.id)));
  const { messages, deliveries, events, state } = conversation;
  const entries = useMemo(() => timelineOf({ messages, deliveries, events }), [messages, deliveries, events]);
  useReadMarks(messages);
  const marked = useMarked(props.id, props.marked, conversation);
  // Not within the list, which observes its own element from the beginning.
  const isEmpty = state === "ready" && entries.length === 0;
  return (
    <>
      {marked && isLost(marked) && <MarkedNotice marked={marked} conversationId={props.id} />}
      {state === "failed" ? (
        <FailedConversation id={props.id} error={conversation.error} />
      ) : isEmpty ? (
        <EmptyConversation agent={props.agent} />
      ) : (
        <Entries id={props.id} agent={props.agent} {...{ entries, conversation, marked }} />
      )}
    </>
  );
}

function FailedConversation({ id, error }: { id: string; error: unknown }) {
  return (
    <div className="flex grow flex-col items-start gap-2 p-4">
      <ErrorNote error={error} />
      <Button icon="retry" onClick={() => retryLoading(id)}>
        Try again
      </Button>
    </div>
  );
}

type EntriesProps = Omit<TimelineProps, "marked"> & {
  entries: readonly Entry[];
  conversation: Conversation;
  marked: Marked | null;
};

function Entries({ id, agent, entries, conversation, marked }: EntriesProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const [isAtEnd, setAtEnd] = useState(true);
  const virtual = useVirtualizer({
    count: entries.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => (entries[index]?.type === "day" ? 32 : 96),
    getItemKey: (index) => entries[index]?.key ?? index,
    overscan: 4,
    anchorTo: "end",
    followOnAppend: true,
    scrollEndThreshold: endPx,
    useAnimationFrameWithResizeObserver: true,
    useFlushSync: false,
  });
  useShowMarked({
    conversationId: id,
    marked,
    entries,
    conversation,
    show: (index) => virtual.scrollToIndex(index, { align: "center" }),
  });
  const isReady = conversation.state === "ready";
  const isMarkedLost = isLost(marked);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when it is loaded
  useEffect(() => {
    if (isReady && marked === null) virtual.scrollToEnd();
  }, [isReady]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when it is known
  useEffect(() => {
    if (isMarkedLost) virtual.scrollToEnd();
  }, [isMarkedLost]);
  useEndInSight(scroller, isAtEnd, () => virtual.scrollToEnd());
  const { olderCursor, isLoadingOlder, olderError } = conversation;
  const nextOlder = isLoadingOlder || olderError !== null ? null : olderCursor;
  // A reader who has reached the beginning cannot scroll further, so no event would ask for more.
  useEffect(() => {
    const isNear = scroller.current !== null && scroller.current.scrollTop < loadAheadPx;
    if (nextOlder !== null && !isAtEnd && isNear) void loadOlder(id);
  }, [id, isAtEnd, nextOlder]);
  const onScroll = ({ currentTarget: { scrollTop, scrollHeight, clientHeight } }: UIEvent<HTMLElement>) => {
    setAtEnd(scrollHeight - clientHeight - scrollTop <= endPx);
    if (scrollTop < loadAheadPx && nextOlder !== null) void loadOlder(id);
  };
  return (
    <div className="relative min-h-0 grow">
      <div
        ref={scroller}
        role="log"
        aria-label={`Conversation with ${agent}`}
        aria-live="off"
        tabIndex={0}
        className="absolute inset-0 overflow-y-auto"
        onScroll={onScroll}
      >
        {isLoadingOlder && <p className="py-1 text-center text-sm text-faint">Loading older messages…</p>}
        {olderError !== null && (
          <div className="flex flex-col items-center gap-1 p-2">
            <ErrorNote error={olderError} />
            <Button icon="retry" onClick={() => loadOlder(id)}>
              Load older messages
            </Button>
          </div>
        )}
        <div className="relative mx-auto w-full max-w-4xl" style={{ height: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map((item) => {
            const entry = entries[item.index];
            if (!entry) return null;
            return (
              <div
                key={item.key}
                ref={virtual.measureElement}
                data-index={item.index}
                className="absolute top-0 left-0 w-full"
                style={{ transform: `translateY(${item.start}px)` }}
              >
                <EntryBlock entry={entry} conversation={id} agent={agent} marked={marked?.id ?? null} />
              </div>
            );
          })}
        </div>
      </div>
      {!isAtEnd && (
        <div className="absolute right-4 bottom-3">
          <Button onClick={() => virtual.scrollToEnd()}>Jump to the newest</Button>
        </div>
      )}
    </div>
  );
}

/** When an ask or something else takes space from the conversation, its end stays in view. */
function useEndInSight(scroller: RefObject<HTMLDivElement | null>, isAtEnd: boolean, scrollToEnd: () => void): void {
  const now = useRef({ isAtEnd, scrollToEnd });
  now.current = { isAtEnd, scrollToEnd };
  useEffect(() => {
    const element = scroller.current;
    if (!element) return;
    const observer = new ResizeObserver(() => now.current.isAtEnd && now.current.scrollToEnd());
    observer.observe(element);
    return () => observer.disconnect();
  }, [scroller]);
}

type EntryProps = { entry: Entry; conversation: string; agent: string; marked: string | null };

function EntryBlock({ entry, conversation, agent, marked }: EntryProps) {
  switch (entry.type) {
    case "day":
      return <p className="py-2 text-center text-sm text-faint">{dayName(entry.at)}</p>;
    case "message":
      return <MessageBlock {...{ entry, conversation, agent }} isMarked={entry.message.id === marked} />;
    case "turn":
      return <TurnBlock entry={entry} agent={agent} />;
    default:
      return entry satisfies never;
  }
}

function EmptyConversation({ agent }: { agent: string }) {
  return (
    <div className="flex grow flex-col items-center justify-center gap-1 p-8 text-center text-muted">
      <p className="text-lg font-semibold text-ink">Nothing was said yet</p>
      <p>Write to {agent} below. You will see when your message is accepted, and when there is proof of an answer.</p>
    </div>
  );
}
