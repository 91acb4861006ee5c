/** Clients of the daemon that served the page, authenticated by cookie. */
import { WaybillClient } from "waybill/client";
import { readsBegun } from "./first-reads.ts";

const url = location.origin;

export const client = new WaybillClient({
  url,
  fetch: async (address, init) => {
    if (init.method === "GET") await readsBegun();
    return fetch(address, init);
  },
});

/** The one request that other reads wait for. */
export const streamClient = new WaybillClient({ url });
