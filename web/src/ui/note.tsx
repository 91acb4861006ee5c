/** A highlighted sentence, coloured by its tone. */
import type { ReactNode } from "react";
import { WaybillError } from "waybill/client";
import type { IconName } from "./icon.tsx";
import { Icon } from "./icon.tsx";

export type Tone = "plain" | "busy" | "wait" | "bad" | "good";

const tones: Record<Tone, { className: string; icon: IconName }> = {
  plain: { className: "bg-sunken text-muted", icon: "clock" },
  busy: { className: "bg-busy-soft text-busy", icon: "pulse" },
  wait: { className: "bg-wait-soft text-wait", icon: "clock" },
  bad: { className: "bg-bad-soft text-bad", icon: "warning" },
  good: { className: "bg-good-soft text-good", icon: "check" },
};

export function Note({ tone = "plain", icon, children }: { tone?: Tone; icon?: IconName; children: ReactNode }) {
  const look = tones[tone];
  return (
    <div
      role={tone === "bad" ? "alert" : "status"}
      className={`flex items-start gap-2 rounded-md px-2.5 py-1.5 ${look.className}`}
    >
      <Icon name={icon ?? look.icon} className="mt-0.5 size-4" />
      <div className="min-w-0 grow">{children}</div>
    </div>
  );
}

export function errorWords(error: unknown): string {
  if (error instanceof WaybillError) return error.hint ? `${error.message} ${error.hint}` : error.message;
  return error instanceof Error ? error.message : String(error);
}

export function ErrorNote({ error }: { error: unknown }) {
  return <Note tone="bad">{errorWords(error)}</Note>;
}
