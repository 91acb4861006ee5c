import { Link } from "@tanstack/react-router";
import { errorWords } from "../ui/note.tsx";

export function NotFound() {
  return (
    <Problem title="Nothing here">
      There is no page at this address. <Link to="/">Go to the start page</Link>
    </Problem>
  );
}

export function ViewError({ error }: { error: unknown }) {
  return (
    <Problem title="This view failed">
      {errorWords(error)}{" "}
      <button type="button" className="text-accent underline" onClick={() => location.reload()}>
        Reload the page
      </button>
    </Problem>
  );
}

/** No code, or a used one: the page cannot request one itself. */
export function SignedOut() {
  return (
    <main>
      <Problem title="Signed out">
        Your session has ended. Run <code className="rounded-sm bg-sunken px-1 font-mono">waybill open</code> in a
        terminal on the machine where Waybill runs to sign in again.
      </Problem>
    </main>
  );
}

function Problem({ title, children }: { title: string; children: React.ReactNode }) {
  return (
    <div className="mx-auto max-w-md px-6 py-24">
      <h1 className="mb-2 text-xl font-semibold">{title}</h1>
      <p className="text-muted">{children}</p>
    </div>
  );
}
