/** The state of a lane or a member at a glance. The state's name is read out, and shown on hover. */
export type DotState = "working" | "asks" | "failed" | "ready" | "idle" | "paused" | "offline" | "ended";

const looks: Record<DotState, { className: string; name: string }> = {
  working: { className: "bg-busy animate-pulse", name: "working" },
  asks: { className: "bg-wait ring-3 ring-wait-soft", name: "waiting for you" },
  failed: { className: "bg-bad", name: "a message failed" },
  ready: { className: "bg-good", name: "active" },
  idle: { className: "border-2 border-line-strong", name: "idle" },
  paused: { className: "rounded-none bg-faint", name: "paused" },
  offline: { className: "border-2 border-bad", name: "cannot be reached" },
  ended: { className: "bg-line-strong", name: "terminated" },
};

export function StateDot({ state, name }: { state: DotState; name?: string }) {
  const look = looks[state];
  const words = name ?? look.name;
  return (
    <span role="img" aria-label={words} title={words} className={`size-2 shrink-0 rounded-full ${look.className}`} />
  );
}
