/**
 * An in-memory agent that answers every prompt immediately, so that only Waybill and its store are measured. It implements
 * the runtime port, with the signals and hints of a real program.
 */
export const answerText = "The change is made: the new rule is in place, and all of its tests pass.";

export function memoryRuntime() {
  const sessions = new Map();
  const hints = new Set();
  const signals = new Set();
  const publish = (lane, session, ...bodies) => {
    for (const body of bodies) {
      for (const listener of signals) listener(lane, { at: Date.now(), session, ...body });
    }
  };
  const finishTurn = (lane, session, prompt) => {
    const at = Date.now();
    const message = `${session.id}-${session.rows.length}`;
    session.rows.push(row(message, "assistant", { parentId: prompt, text: answerText, finish: "stop", at }));
    session.busy = false;
    publish(
      lane,
      session.id,
      { type: "message", message, prompt },
      { type: "part", message, part: `${message}:text`, kind: "text", text: answerText },
      { type: "message_done", message, error: null, usage: null },
      { type: "rest" },
    );
    for (const listener of hints) listener({ sessionId: session.id });
  };
  return {
    kind: "memory",
    traits: { takesIds: true, sendingAgain: "reruns", attachments: false },
    idsFrom: (digest) => ({ messageId: `msg_${digest}`, partId: `prt_${digest}` }),
    recover: async () => {},
    health: async () => null,
    async openSession(lane) {
      const id = `ses_${lane.id}_${sessions.size}`;
      sessions.set(id, { id, rows: [], busy: false });
      publish(lane.id, id, { type: "session_started", resumed: false });
      return id;
    },
    async read(_lane, sessionId, limit) {
      const { rows = [], busy = false } = sessions.get(sessionId) ?? {};
      const newest = limit === null ? rows : rows.slice(-limit);
      return {
        sessionId,
        status: sessions.has(sessionId) ? (busy ? "busy" : "idle") : "stale",
        asks: [],
        rows: newest,
        complete: newest.length === rows.length,
        lastActivityAt: rows.at(-1)?.completedAt ?? null,
      };
    },
    async submit(lane, { sessionId, messageId, text }) {
      const session = sessions.get(sessionId);
      session.rows.push(row(messageId, "user", { parentId: null, text, finish: null, at: Date.now() }));
      session.busy = true;
      const parts = [{ type: "text", id: `${messageId}:text`, text }];
      publish(lane.id, sessionId, { type: "prompt", message: messageId, parts }, { type: "busy" });
      setImmediate(() => finishTurn(lane.id, session, messageId));
      return { outcome: "accepted" };
    },
    abort: async () => {},
    answer: async () => {},
    onHint: (listener) => subscribe(hints, listener),
    onSignal: (listener) => subscribe(signals, listener),
    resync: async () => {},
    close: async () => {},
  };
}

function row(id, role, { parentId, text, finish, at }) {
  const empty = { continuesId: null, reasoning: "", tools: [], error: null, usage: undefined };
  return { ...empty, id, role, parentId, text, finish, createdAt: at, firstActivityAt: at, completedAt: at };
}

function subscribe(listeners, listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
