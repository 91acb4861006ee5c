/** The start page: the demo, an overview, or the next step if nothing is set up yet. */
import { useQuery } from "@tanstack/react-query";
import { lanesQuery, versionQuery } from "../live/queries.ts";
import { ErrorNote } from "../ui/note.tsx";
import { DemoHome } from "./demo-home.tsx";
import { NoLanes } from "./no-lanes.tsx";
import { homeKind } from "./overview.ts";
import { OverviewView } from "./overview-view.tsx";

export function HomeView() {
  const { data: version, error: versionError } = useQuery(versionQuery);
  const { data: lanes, error: lanesError } = useQuery(lanesQuery);
  const error = versionError ?? lanesError;
  if (version && lanes) {
    const kind = homeKind(version.demo, lanes);
    if (kind === "demo") return <DemoHome lanes={lanes} />;
    return kind === "overview" ? <OverviewView lanes={lanes} /> : <NoLanes />;
  }
  return (
    <div className="p-4" aria-busy={!error}>
      <h1 className="sr-only">Waybill</h1>
      {error && <ErrorNote error={error} />}
    </div>
  );
}
