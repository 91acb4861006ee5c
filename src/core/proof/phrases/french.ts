import type { Phrases } from "./phrases.ts";
import { list } from "./phrases.ts";

export const french: Phrases = {
  spaced: true,
  says: list(`
    ok, okay, d'accord, d'acc, dac, entendu, bien entendu, compris, bien compris, j'ai compris, j'ai bien compris, je comprends, je vois, noté, bien noté, c'est noté, c'est bien noté, je note, pris en compte, bien pris en compte, pris note, reçu, bien reçu, message reçu, demande reçue, tâche reçue, bien reçue, ça marche, ça roule, pas de souci, pas de soucis, c'est parti, allons-y, allons y, on y va, j'y vais, je m'y mets, je m'y mets tout de suite, je m'en occupe, je m'en charge, je le fais, je vais le faire, je fais ça, je fais cela, ce sera fait, c'est comme si c'était fait, tout de suite, en cours, c'est en cours, en cours de traitement, je suis dessus, je suis déjà dessus, j'y travaille, j'y travaille déjà, merci, merci beaucoup, merci bien, merci à vous, merci à toi, un grand merci, volontiers, à votre service, un instant, un moment, une seconde, une minute, deux minutes, un instant s'il vous plaît, patientez, veuillez patienter, à suivre, la suite arrive, je reviens, je reviens vers vous, je reviens vers toi, je vous tiens au courant, je te tiens au courant, à tout de suite, à bientôt, accusé de réception, j'accuse réception, vu, bien vu, lu, bien lu, c'est clair, très clair, tâche acceptée, je commence, je démarre, je me lance, je regarde, je regarde ça, je vérifie, je vérifie ça, je vais voir, on regarde, parti`),
  will: list(
    `je vais, on va, nous allons, laissez-moi, laisse-moi, laissez moi, laisse moi, permettez-moi de, je compte, je souhaite, je voudrais, je veux`,
  ),
  verbs: list(
    `vérifier, verifier, regarder, voir, examiner, analyser, étudier, investiguer, enquêter, chercher, rechercher, commencer, démarrer, débuter, travailler, m'en occuper, m'occuper, m'y mettre, me pencher, jeter un œil, jeter un oeil, jeter un coup d'œil, jeter un coup d'oeil, y jeter, le faire, la faire, faire, faire le nécessaire, traiter, corriger, réparer, résoudre, revoir, relire, lire, tester, lancer, creuser, continuer, procéder, revenir, vous tenir, te tenir, vous répondre, te répondre, répondre, vous informer, t'informer, vous dire, consulter, contrôler, inspecter, préparer, rédiger, créer, écrire, mettre en place, mettre en œuvre, implémenter, essayer, prendre, m'assurer, maintenant, immédiatement, tout de suite, d'abord, donc`,
  ),
  objects: [],
  open: list(
    `je check, je corrige, j'ajoute, j'écris, je crée, je modifie, je fais, je m'attaque, je m'attelle, je passe à, je bascule, je suis sur, donnez-moi, donne-moi, laissez-moi, je prends en charge, je prends ça, désolé pour, je m'excuse, toutes mes excuses, j'en prends note, j'implémente, je mets, je supprime, j'ouvre, je ferme, je vérifie, je regarde, j'examine, j'analyse, j'étudie, je cherche, je commence, je démarre, je travaille, je m'occupe, je me penche, je jette, je traite, je corrige, je lis, je relis, je lance, je teste, je prends, je prépare, je continue, je procède, je reviens, je vous reviens, je vous tiens, je te tiens, je vous réponds, je te réponds, je vous informe, je vous recontacte, je te recontacte, j'inspecte, je consulte, je creuse, je fais le point, je fais le nécessaire, je fais un point, je suis en train, je m'en occupe, je m'y mets, merci pour, merci de, merci d', j'ai bien reçu, j'ai reçu, j'ai pris note, j'ai bien noté, j'ai noté, bonne réception de, votre message a, votre demande a, ta demande a, ton message a, dès que, une fois terminé, vérification en cours, analyse en cours, traitement en cours, recherche en cours, j'ai commencé à, je vous ferai, je te ferai, je vous donnerai, je vérifierai, je reviendrai, je m'en occuperai, je regarderai`,
  ),
  endings: [],
  before: list(
    `je te, je vous, ensuite je, et, puis, alors, donc, bon, bien, très bien, parfait, super, ok, d'accord, oui bien sûr, bien sûr, tout, c'est, merci, bonjour, salut, ensuite, maintenant, actuellement, je, j'ai, tâche, message, demande, d'abord, pour commencer, immédiatement`,
  ),
  after: list(
    `et, puis, de, du, des, la, le, les, l', un, une, votre, vos, ton, ta, tes, ce, cet, cette, ça, cela, ceci, à, au, vous, te, toi, je, j', m', en, y, tout, tout de suite, immédiatement, maintenant, rapidement, au plus vite, dès que possible, dans la foulée, bientôt, plus tard, aujourd'hui, demain, sous peu, d'ici peu, vite, message, demande, tâche, mission, consigne, consignes, instruction, instructions, information, informations, infos, info, précisions, retour, résultat, résultats, nouvelles, chef, patron, dès que c'est fait, dès que c'est prêt, dès que j'ai terminé, dès que j'ai fini, quand c'est prêt, une fois terminé, au courant, vers, reviens, tiens, pour, avec, sur, s'il vous plaît, s'il te plaît, encore, bien, beaucoup, moment, instant, minutes, dans quelques minutes, dans un instant, dans un moment, prochainement, aussi, plus`,
  ),
  companions: list(
    `vous avez raison, tu as raison, ça me va, ça me semble bien, c'est une bonne idée, de rien, je vous en prie, je t'en prie, avec plaisir, bien sûr, certainement, absolument, tout à fait, parfait, super, génial, très bien, bien, excellent, bonjour, salut, bonsoir, pas de problème, aucun problème, exact, exactement, confirmé, cordialement, bonne idée, bonne question, désolé, évidemment, avec plaisir`,
  ),
  reasons: list(
    `parce que, car, puisque, en utilisant, via, grâce à, mais, cependant, plutôt que, au lieu de, qui, dont`,
  ),
  states: list(`est, était, sont, ont, montre, peut, doit`),
  assents: list(`oui, ouais, oui bien sûr, oui chef`),
  alone: list(`en cours, chargement, je réfléchis`),
};
