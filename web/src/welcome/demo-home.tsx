/** What a newcomer sees first: the demo agent, what to try with it, and what happens then. */
import { useEffect, useRef, useState } from "react";
import type { Lane } from "waybill/client";
import { useStore } from "../live/store.ts";
import { Button } from "../ui/button.tsx";
import { errorWords, Note } from "../ui/note.tsx";
import { Commands } from "./commands.tsx";
import type { DemoMessage } from "./demo-run.ts";
import { demoRun, useDemoSend } from "./demo-run.ts";
import { demoCases, hasScriptedModel } from "./demo-words.ts";
import { RunLegend, RunPanel } from "./run-panel.tsx";

export function DemoHome({ lanes }: { lanes: readonly Lane[] }) {
  const run = useStore(demoRun);
  const send = useDemoSend();
  const panel = useRef<HTMLDivElement>(null);
  const isSentNow = run !== null && send.data?.deliveryId === run.deliveryId;
  // On a narrow screen the panel is above the clicked element.
  useEffect(() => {
    if (isSentNow) panel.current?.scrollIntoView({ block: "nearest" });
  }, [isSentNow]);
  return (
    <div className="min-h-0 grow overflow-y-auto">
      <div className="mx-auto flex max-w-5xl flex-col gap-6 px-4 py-6 sm:px-6">
        <header>
          <h1 className="text-xl font-semibold">
            Waybill delivers messages to coding agents and proves that they acted on them.
          </h1>
          <p className="mt-1 max-w-2xl text-muted">
            This is the demo. {agentWords(lanes)} Everything else is as it is with your own agents.
          </p>
        </header>
        <div className="grid items-start gap-6 lg:grid-cols-[minmax(0,1fr)_23rem]">
          <div className="flex min-w-0 flex-col gap-3">
            <h2 className="font-semibold">Try it</h2>
            {send.error && <Note tone="bad">{errorWords(send.error)} Nothing was lost; try it once more.</Note>}
            <Cases lanes={lanes} isBusy={send.isPending} onChoose={send.mutate} />
            <OwnWords
              isBusy={send.isPending}
              onSend={(text, done) => send.mutate({ lane: "demo", text }, { onSuccess: done })}
            />
          </div>
          <div ref={panel} className={`lg:sticky lg:top-0 ${run ? "order-first lg:order-none" : ""}`}>
            {run ? <RunPanel key={run.deliveryId} run={run} /> : <RunLegend />}
          </div>
        </div>
        <section aria-labelledby="connect" className="border-t border-line pt-4">
          <h2 id="connect" className="font-semibold">
            Connect your own agent
          </h2>
          <p className="mt-0.5 mb-2 max-w-2xl text-muted">
            OpenCode, Claude Code or pi. Stop the demo with Ctrl C, then run these in the same terminal:
          </p>
          <Commands
            commands={[
              {
                command: "npx waybill init",
                what: "asks for the agent and the directory, and writes a configuration",
              },
              { command: "npx waybill up", what: "starts Waybill with that configuration" },
            ]}
          />
        </section>
      </div>
    </div>
  );
}

function agentWords(lanes: readonly Lane[]): string {
  return hasScriptedModel(lanes)
    ? "Its agent is a real OpenCode with a scripted model, so nothing leaves this machine."
    : "OpenCode is not installed here, so its agent is a script with one answer.";
}

type CasesProps = { lanes: readonly Lane[]; isBusy: boolean; onChoose: (message: DemoMessage) => void };

function Cases({ lanes, isBusy, onChoose }: CasesProps) {
  return (
    <ul className="divide-y divide-line border-y border-line">
      {demoCases(lanes).map(({ lane, text, shows }, index) => (
        <li key={`${lane} ${text}`} className="flex flex-wrap items-center gap-x-3 gap-y-1 py-1.5 sm:flex-nowrap">
          <div className="shrink-0 sm:w-40">
            <Button look={index === 0 ? "primary" : "plain"} disabled={isBusy} onClick={() => onChoose({ lane, text })}>
              {text}
            </Button>
          </div>
          <p className="text-muted">{shows}</p>
        </li>
      ))}
    </ul>
  );
}

type OwnWordsProps = { isBusy: boolean; onSend: (text: string, done: () => void) => void };

function OwnWords({ isBusy, onSend }: OwnWordsProps) {
  const [text, setText] = useState("");
  return (
    <form
      aria-label="Write a message"
      className="flex gap-1.5"
      onSubmit={(event) => {
        event.preventDefault();
        if (text.trim() !== "" && !isBusy) onSend(text.trim(), () => setText(""));
      }}
    >
      <input
        data-composer
        aria-label="Message to the demo agent"
        placeholder="Or write to the demo agent in your own words"
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => event.key === "Escape" && event.currentTarget.blur()}
        className="h-7 min-w-0 grow rounded-md border border-line-strong bg-surface px-2.5 placeholder:text-faint"
      />
      <Button type="submit" icon="send" disabled={isBusy || text.trim() === ""}>
        Send
      </Button>
    </form>
  );
}
