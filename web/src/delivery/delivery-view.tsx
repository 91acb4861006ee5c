/** A delivery's page: why it is late, what the agent was sent and did, and why that is or is not enough. */
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import type { DeliveryDetail } from "waybill/client";
import { WaybillError } from "waybill/client";
import { deliveryQuery } from "../live/queries.ts";
import { Button } from "../ui/button.tsx";
import { ErrorNote } from "../ui/note.tsx";
import { exactText } from "../ui/safe-text.ts";
import { AttemptTimeline } from "./attempt-timeline.tsx";
import { DeliveryHeader } from "./delivery-header.tsx";
import { DiagnosticsSection } from "./diagnostics-section.tsx";
import { EvidenceSection } from "./evidence-section.tsx";
import { MessageSection } from "./message-section.tsx";
import { Section } from "./section.tsx";
import { TimingFigures } from "./timing-figures.tsx";

const deliveryRoute = getRouteApi("/deliveries/$id");

export function DeliveryView() {
  const { id } = deliveryRoute.useParams();
  const { data, error, refetch } = useQuery(deliveryQuery(id));
  if (data) return <DeliveryPage key={id} detail={data} />;
  if (error instanceof WaybillError && error.status === 404) return <UnknownDelivery id={id} />;
  if (!error) {
    return (
      <p role="status" className="p-4 text-muted">
        Loading the delivery…
      </p>
    );
  }
  return (
    <div className="flex flex-col items-start gap-2 p-4">
      <ErrorNote error={error} />
      <Button icon="retry" onClick={() => void refetch()}>
        Try again
      </Button>
    </div>
  );
}

function DeliveryPage({ detail }: { detail: DeliveryDetail }) {
  return (
    <div className="min-h-0 grow overflow-y-auto">
      <DeliveryHeader detail={detail} />
      <div className="mx-auto flex max-w-6xl flex-col gap-6 px-4 py-4">
        <TimingFigures detail={detail} />
        <div className="grid gap-6 xl:grid-cols-[minmax(0,1fr)_22rem] xl:gap-8">
          <div className="flex min-w-0 flex-col gap-6">
            <MessageSection detail={detail} />
            <Section title="Timeline">
              <AttemptTimeline detail={detail} />
            </Section>
          </div>
          <div className="flex min-w-0 flex-col gap-6">
            <EvidenceSection detail={detail} />
            <DiagnosticsSection detail={detail} />
          </div>
        </div>
      </div>
    </div>
  );
}

function UnknownDelivery({ id }: { id: string }) {
  return (
    <div className="mx-auto max-w-md px-6 py-24">
      <h1 className="mb-2 text-xl font-semibold">No such delivery</h1>
      <p className="mb-3 text-muted">
        There is no delivery <code className="font-mono text-xs wrap-anywhere">{exactText(id)}</code>. The records of
        answered messages are removed after a few days. The messages stay, and can be searched.
      </p>
      <p className="flex gap-4">
        <Link to="/search" className="text-accent underline">
          Search messages
        </Link>
        <Link to="/" className="text-accent underline">
          Go to the start page
        </Link>
      </p>
    </div>
  );
}
