import { QueryObserver } from "@tanstack/react-query";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

const origin = "http://waybill.test";

/** What was requested, except the stream. */
let reads: string[];
/** Answers the request for the stream. */
let answerStream: (response: Response) => void;
let stream: ReadableStreamDefaultController<Uint8Array>;
let isSignedOut: boolean;

const answers: Record<string, object> = {
  "/v1/lanes": { lanes: [] },
  "/v1/messages": { messages: [], deliveries: [] },
  "/v1/lanes/chat/events": { events: [], nextBefore: null },
  "/v1/lanes/chat/turn": { turn: null, items: [], cut: [] },
};

async function fakeFetch(url: string): Promise<Response> {
  const { pathname } = new URL(url);
  if (pathname === "/v1/stream") {
    if (isSignedOut) return Response.json({}, { status: 401 });
    return new Promise((answer) => {
      answerStream = answer;
    });
  }
  reads.push(pathname);
  return Response.json(answers[pathname]);
}

function openStream(): void {
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      stream = controller;
      const frame = `: open\n\nid: 1\nevent: open\ndata: {"type":"open"}\n\n`;
      controller.enqueue(new TextEncoder().encode(frame));
    },
  });
  answerStream(new Response(body));
}

let following: Promise<void>;
let unsubscribe: () => void;

beforeEach(async () => {
  reads = [];
  isSignedOut = false;
  vi.useFakeTimers();
  vi.stubGlobal("location", { origin });
  vi.stubGlobal("document", { hidden: true });
  vi.stubGlobal("fetch", fakeFetch);
  // Each test opens the page anew.
  vi.resetModules();
  const { followDaemon } = await import("./live.ts");
  const { conversationOf } = await import("./conversations.ts");
  const { lanesQuery, queryClient } = await import("./queries.ts");
  following = followDaemon();
  unsubscribe = new QueryObserver(queryClient, lanesQuery).subscribe(() => {});
  conversationOf("chat");
});

afterEach(async () => {
  unsubscribe();
  isSignedOut = true;
  stream.close();
  await vi.runAllTimersAsync();
  await following;
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.resetModules();
});

const everything = Object.keys(answers).sort();

test("everything is read once, after the stream has opened", async () => {
  await vi.advanceTimersByTimeAsync(900);
  expect(reads).toEqual([]);
  openStream();
  await vi.advanceTimersByTimeAsync(5000);
  expect(reads.toSorted()).toEqual(everything);
});

test("everything is read without the stream if that does not open soon, and again when it does", async () => {
  await vi.advanceTimersByTimeAsync(1100);
  expect(reads.toSorted()).toEqual(everything);
  reads = [];
  openStream();
  await vi.advanceTimersByTimeAsync(5000);
  expect(new Set(reads)).toEqual(new Set(everything));
});
