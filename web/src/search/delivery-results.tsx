/** Deliveries whose ids, lane, status or reason contain the words. */
import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { Delivery } from "waybill/client";
import { signOf } from "../conversation/delivery-sign.ts";
import { SignMark } from "../conversation/message-block.tsx";
import { ErrorNote } from "../ui/note.tsx";
import { exactText } from "../ui/safe-text.ts";
import { RelativeTime } from "../ui/time.tsx";
import { findDeliveries } from "./find-deliveries.ts";
import { MoreButton, ResultSection, resultList } from "./result-section.tsx";

export function DeliveryResults({ query }: { query: string }) {
  const results = useInfiniteQuery({
    queryKey: ["search", "deliveries", query],
    queryFn: ({ pageParam }) => findDeliveries(query, pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    // A single letter matches nearly all of them.
    enabled: query.length > 1,
    // Results may have changed since the last search.
    staleTime: 0,
  });
  if (results.error) return <ErrorNote error={results.error} />;
  const found = results.data?.pages.flatMap(({ deliveries }) => deliveries) ?? [];
  if (found.length === 0 && !results.hasNextPage) return null;
  return (
    <ResultSection title="Deliveries">
      <ul className={resultList}>
        {found.map((delivery) => (
          <li key={delivery.id}>
            <DeliveryRow delivery={delivery} />
          </li>
        ))}
      </ul>
      <MoreButton results={results} />
    </ResultSection>
  );
}

function DeliveryRow({ delivery }: { delivery: Delivery }) {
  return (
    <Link
      to="/deliveries/$id"
      params={{ id: delivery.id }}
      className="flex flex-wrap items-center gap-x-3 gap-y-0.5 px-3 py-1.5 hover:bg-hover"
    >
      <code className="font-mono text-xs">{delivery.id.slice(0, 12)}</code>
      <span className="min-w-0 truncate">
        {exactText(delivery.messageId)} <span className="text-muted">to {delivery.lane}</span>
      </span>
      <span className="text-sm">
        <SignMark sign={signOf({ delivery, isAcknowledged: false })} isAwaited={false} />
      </span>
      <RelativeTime at={delivery.createdAt} className="ml-auto text-sm text-faint" />
    </Link>
  );
}
