/** What Waybill and its agents are doing, apart from conversations and single deliveries. */
import { useIsFetching } from "@tanstack/react-query";
import { Link, useRouterState } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { queryClient, refresh } from "../live/queries.ts";
import { Button } from "../ui/button.tsx";
import { DaysSection } from "./days-section.tsx";
import { DoctorSection } from "./doctor-section.tsx";
import { LanesSection } from "./lanes-section.tsx";
import { QueuesSection } from "./queues-section.tsx";
import { ReadinessSection } from "./readiness-section.tsx";
import { RuntimesSection } from "./runtimes-section.tsx";
import { TeamsSection } from "./teams-section.tsx";

const sections = [
  { id: "readiness", name: "Readiness" },
  { id: "lanes", name: "Lanes" },
  { id: "queues", name: "Queues" },
  { id: "runtimes", name: "Runtimes" },
  { id: "teams", name: "Teams" },
  { id: "doctor", name: "Doctor" },
  { id: "days", name: "By day" },
] as const;

export function StatusView() {
  useScrollToPart();
  return (
    <div className="@container relative min-h-0 grow overflow-y-auto">
      <header className="sticky top-0 z-10 flex min-h-11 flex-wrap items-center gap-x-4 border-b border-line bg-surface px-4 py-1">
        <h1 className="text-lg font-semibold">Status</h1>
        <nav
          aria-label="Status sections"
          className="flex min-w-0 gap-x-1 overflow-x-auto @max-3xl:order-last @max-3xl:w-full"
        >
          {sections.map(({ id, name }) => (
            <Link
              key={id}
              to="/status"
              hash={id}
              className="flex h-7 items-center rounded-md px-1.5 text-sm whitespace-nowrap text-muted hover:bg-hover hover:text-ink"
            >
              {name}
            </Link>
          ))}
        </nav>
        <LookAgain />
      </header>
      <ReadinessSection />
      <LanesSection />
      <QueuesSection />
      <RuntimesSection />
      <TeamsSection />
      <DoctorSection />
      <DaysSection />
    </div>
  );
}

/** For changes that no event reports: a program that exited, a full disk. */
const untold = ["ready", "runtimes", "lanes", "pending", "teams", "holds", "version", "stats"] as const;

function LookAgain() {
  const isLooking = useIsFetching() > 0;
  return (
    <Button look="quiet" icon="retry" className="ml-auto" aria-busy={isLooking} onClick={() => refresh(...untold)}>
      Check again
    </Button>
  );
}

/** The section in the address has its final position only once the sections above are loaded. */
function useScrollToPart(): void {
  const part = useRouterState({ select: (state) => state.location.hash });
  const isReading = useIsFetching() > 0;
  const isPlaced = useRef(false);
  useEffect(() => {
    if (isPlaced.current || isReading || queryClient.isFetching() > 0) return;
    isPlaced.current = true;
    if (part !== "") document.getElementById(part)?.scrollIntoView();
  }, [part, isReading]);
}
