import type { Phrases } from "./phrases.ts";
import { list } from "./phrases.ts";

export const dutch: Phrases = {
  spaced: true,
  says: list(`
    ok, oké, oke, okay, prima, akkoord, begrepen, duidelijk, helder, snap ik, ik snap het, ik begrijp het, genoteerd, ontvangen, bericht ontvangen, taak ontvangen, verzoek ontvangen, in goede orde ontvangen, gezien, gelezen, komt goed, komt in orde, komt eraan, komt voor elkaar, komt voor de bakker, doe ik, ga ik doen, zal ik doen, doen we, wordt gedaan, wordt aan gewerkt, ik regel het, regel ik, ik doe het, ik ga het doen, ik ga aan de slag, aan de slag, ga aan de slag, ik ga ermee aan de slag, ga ermee aan de slag, ik ben ermee bezig, ben ermee bezig, mee bezig, ik ben bezig, ben bezig, bezig, in behandeling, onderweg, ik pak het op, pak ik op, pak het op, ik kijk ernaar, ik kijk even, kijk ik naar, ik zoek het uit, zoek ik uit, ik ga ernaar kijken, ga ik naar kijken, bedankt, dank je, dank je wel, dankjewel, dank u, dank u wel, hartelijk dank, dank, thanks, graag, een moment, een ogenblik, momentje, een momentje, even geduld, een seconde, wacht even, ogenblik, ik laat het weten, ik laat het je weten, laat het weten, ik kom erop terug, ik kom hierop terug, kom er op terug, kom erop terug, tot zo, tot straks, tot later, we gaan beginnen, ik begin, ik begin nu, ik begin meteen, ik start, roger, taak geaccepteerd, is goed, goed`),
  will: list(
    `ik zal, ik ga, zal, we gaan, laat me, laat mij, ik wil, ik zou, ik probeer, ik zal nu, ik ga nu, dan ga ik, nu ga ik, ik ga eerst`,
  ),
  verbs: list(
    `kijken, bekijken, nakijken, controleren, checken, onderzoeken, uitzoeken, beginnen, starten, werken, regelen, oppakken, doen, doornemen, lezen, analyseren, testen, fixen, oplossen, terugkomen, laten weten, melden, aan de slag`,
  ),
  objects: list(
    `het, dit, dat, de, er, ernaar, ermee, mij, me, je, u, uw, jouw, even, nu, direct, meteen, eerst, zo snel mogelijk, verder, alles`,
  ),
  open: list(
    `geef me, geef mij, ik los op, ik fix, ik schrijf, ik maak, ik voeg, ik pas, ik herstel, ik verbeter, ik stap over, ik ga verder, sorry voor, excuses voor, mijn excuses, ik sluit, ik duik, duik erin, ik controleer, controleer, ik check, check, ik bekijk, bekijk, ik kijk, kijk, ik onderzoek, onderzoek, ik zoek, zoek uit, ik begin, begin met, ik start, start met, ik werk, werk aan, ik ben bezig, bezig met, ben bezig met, ik analyseer, analyseer, ik lees, ik test, ik neem, ik pak, ik laat, laat je, laat het je, laat u, ik meld, meld me, ik kom, kom erop terug, ik kom terug, ik houd je, ik hou je, houd je op de hoogte, hou je op de hoogte, ik geef, geef een update, bedankt voor, dank voor, dank je voor, dank je wel voor, dankjewel voor, dank u voor, ik heb je bericht, ik heb uw bericht, ik heb het bericht, ik heb de taak, je bericht is, uw bericht is, zodra ik, zodra het, als ik klaar, wanneer ik, update volgt, resultaat volgt, resultaten volgen, terugkoppeling volgt, ik onderneem, ik los, ik regel`,
  ),
  endings: [],
  before: list(
    `en, dan, dus, nou, goed, prima, perfect, mooi, ok, oké, natuurlijk, zeker, uiteraard, hallo, hoi, bedankt, ik, we, nu, meteen, direct, alles, bericht, taak, verzoek, dat, het, eerst, momenteel, al, is, daarna, vervolgens`,
  ),
  after: list(
    `en, dan, ik, je, u, me, mij, het, dit, dat, de, een, uw, jouw, er, eraan, ernaar, ermee, mee, van, voor, aan, op, met, naar, in, te, nu, direct, meteen, gelijk, zo snel mogelijk, spoedig, binnenkort, zo, straks, later, vandaag, morgen, eerst, even, alles, heel, zeer, wel, graag, bericht, taak, verzoek, opdracht, instructies, informatie, info, update, updates, resultaat, resultaten, bevindingen, terugkoppeling, weten, laat, kom, meld, zodra, als, klaar, is, ben, ik klaar ben, het klaar is, ik meer weet, iets, meer, baas, terug, moment, ook, bezig, slag, daarna`,
  ),
  companions: list(
    `je hebt gelijk, u hebt gelijk, klinkt goed, graag gedaan, met plezier, natuurlijk, zeker, uiteraard, perfect, mooi, top, super, fijn, geweldig, hallo, hoi, goedemorgen, goedemiddag, geen probleem, klopt, precies, bevestigd, juist, groeten, met vriendelijke groet, groetjes, goed idee, goede vraag, sorry, excuses`,
  ),
  reasons: list(`omdat, want, doordat, door, via, met behulp van, maar, echter, in plaats van, waarbij, waardoor`),
  states: list(`is, was, zijn, heeft, kan, moet, toont`),
  assents: list(`ja, ja hoor, jazeker, ja natuurlijk, jawel, jep`),
  alone: list(`bezig, aan het werk, denken, laden`),
};
