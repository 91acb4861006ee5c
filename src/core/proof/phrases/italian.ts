import type { Phrases } from "./phrases.ts";
import { list } from "./phrases.ts";

export const italian: Phrases = {
  spaced: true,
  says: list(`
    ok, okay, va bene, d'accordo, capito, ho capito, tutto chiaro, chiaro, è chiaro, compreso, ho compreso, comprendo, capisco, ricevuto, messaggio ricevuto, richiesta ricevuta, compito ricevuto, ho ricevuto, annotato, preso nota, prendo nota, ho preso nota, segnato, letto, visto, agli ordini, ci penso io, me ne occupo, me ne occupo io, me ne occupo subito, me ne occuperò, ci sono, ci sto lavorando, ci lavoro, ci lavoro subito, sto lavorando, al lavoro, mi metto al lavoro, mi metto subito al lavoro, mi ci metto, mi ci metto subito, sono al lavoro, lo faccio, lo faccio subito, lo farò, sarà fatto, provvedo, provvedo subito, provvederò, procedo, procedo subito, inizio, inizio subito, comincio, comincio subito, parto subito, subito, in corso, in lavorazione, controllo subito, controllo, controllo io, verifico, verifico subito, guardo, guardo subito, ci guardo, do un'occhiata, ci do un'occhiata, vado, andiamo, iniziamo, grazie, grazie mille, molte grazie, ti ringrazio, la ringrazio, grazie a te, volentieri, un momento, un attimo, un secondo, un minuto, solo un attimo, attendere, attendere attenda, aspetta, torno subito, ti faccio sapere, le faccio sapere, vi faccio sapere, ti aggiorno, la aggiorno, vi aggiorno, ti tengo aggiornato, la tengo aggiornata, a breve, a presto, a dopo, ci vediamo dopo, resto in attesa, incarico accettato, fatto presente`),
  will: list(
    `sto per, vado a, voglio, vorrei, lasciami, lasciatemi, mi lasci, permettimi di, adesso vado a, inizio a, comincio a, inizierò a, inizierò con, comincerò a, comincerò con, provo a, proverò a, cercherò di, provvederò a, provvedo a, procedo a, procederò a, passo a, mi accingo a`,
  ),
  verbs: list(
    `controllare, verificare, guardare, vedere, dare un'occhiata, dargli un'occhiata, darci un'occhiata, investigare, indagare, analizzare, esaminare, studiare, iniziare, cominciare, lavorare, lavorarci, occuparmene, occuparmi, farlo, fare, risolvere, risolverlo, correggere, sistemare, leggere, provare, testare, eseguire, cercare, continuare, procedere, rispondere, risponderti, avvisarti, informarti, dirti, preparare, creare, scrivere, implementare, consultare, ispezionare, rivedere, tornare, aggiornarti, capire, subito, ora, adesso, prima`,
  ),
  objects: [],
  open: list(
    `guardo, dammi, mi dia, datemi, correggo, sistemo, preparo, scrivo, creo, aggiungo, aggiungerò, implemento, implementerò, passo a, passo al, mi scuso, scusa per, mi metto, ci guardo, lo guardo, lo controllo, lo verifico, lo sistemo, lo correggo, lo preparo, adesso lo, ora lo, subito lo, controllo subito, controllo i, controllo il, controllo la, controllo le, controllo gli, controllo lo, controllo e, controllerò, verifico i, verifico il, verifico la, verifico le, verifico e, verifico subito, verificherò, guardo i, guardo il, guardo la, guarderò, vedrò, darò un'occhiata, do un'occhiata, do subito un'occhiata, analizzo, analizzerò, esamino, esaminerò, indago, indagherò, studierò, inizio a, inizio con, inizierò, comincio a, comincio con, comincerò, lavoro a, lavorerò, mi occupo, mi occuperò, me ne occuperò, risolverò, correggerò, sistemerò, sistemo subito, leggerò, proverò, testerò, eseguirò, cercherò, continuo, continuerò, procederò, risponderò, ti rispondo, ti risponderò, le risponderò, ti avviso, ti avviserò, avviserò, ti informo, ti informerò, ti dico, ti dirò, ti faccio, ti farò, le farò, vi farò, farò sapere, ti aggiorno, ti aggiornerò, la aggiornerò, vi aggiornerò, ti terrò, la terrò, torno con, tornerò, sto controllando, sto verificando, sto analizzando, sto lavorando, sto guardando, sto esaminando, sto indagando, sto iniziando, sto cercando, controllando, verificando, analizzando, grazie per, grazie del, grazie della, grazie dell', ho ricevuto il, ho ricevuto la, ho ricevuto il tuo, ho capito il, ho capito la, ho capito cosa, ho capito che, capisco la, capisco il, appena ho, appena possibile, appena finito, appena so, non appena, quando ho, preparerò, rivedrò, farò`,
  ),
  endings: [],
  before: list(
    `ti, le, poi ti, vi, e, poi, allora, quindi, bene, molto bene, benissimo, perfetto, ottimo, ok, va bene, certo, certamente, ora, adesso, subito, ciao, salve, grazie, io, prima, immediatamente, messaggio, richiesta, compito, attualmente, tutto, nessun problema, già, sì certo, lo, la`,
  ),
  after: list(
    `e, di, del, della, dei, la, il, lo, le, gli, i, un, una, tuo, tua, suo, sua, questo, questa, ciò, ne, a, al, in, con, per, che, già, ora, adesso, subito, immediatamente, al più presto, il prima possibile, appena possibile, presto, a breve, poi, dopo, più tardi, oggi, domani, prima, per favore, messaggio, richiesta, compito, incarico, istruzioni, informazioni, informazione, info, avviso, dettagli, risultato, risultati, novità, aggiornamento, aggiornamenti, capo, tutto, molto, mille, quando ho finito, appena ho finito, appena finito, appena pronto, quando è pronto, qualcosa, più, faccio sapere, ti, vi, momento, minuti, perfettamente, chiaramente, anche, bene, ti aggiorno, ti faccio sapere, io, me`,
  ),
  companions: list(
    `hai ragione, ha ragione, mi sembra buono, suona bene, dammi un attimo, prego, di niente, figurati, con piacere, certo, certamente, ovviamente, naturalmente, assolutamente, perfetto, ottimo, bene, molto bene, benissimo, ciao, salve, buongiorno, nessun problema, esatto, corretto, confermato, giusto, cordiali saluti, saluti, buona idea, bella domanda, scusa, scusate, pronto`,
  ),
  reasons: list(`perché, poiché, siccome, usando, tramite, grazie a, ma, però, invece di, anziché, il cui`),
  states: list(`era, sono, ha, può, deve, mostra`),
  assents: list(`sì, si, sì certo, certo che sì`),
  alone: list(`al lavoro, sto pensando, caricamento, in elaborazione`),
};
