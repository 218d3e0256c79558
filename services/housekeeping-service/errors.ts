import { defineErrors } from '@ghasi/domain-primitives/errors';

/** What housekeeping-service may refuse. Codes are forever. */
export const errors = defineErrors('housekeeping', {
  CONDITION_REFUSED: { status: 409, text: 'A room that is {from} does not become {to} by itself' },
  ROOM_NOT_CLEAN: { status: 409, text: 'The room is {condition}: it is cleaned before it is inspected' },
  ROOM_CLOSED: { status: 409, text: 'The room is closed for good' },
  TASK_OPEN: { status: 409, text: 'An open task says when this room is clean; complete it' },
  TASK_EXISTS: { status: 409, text: 'This room waits for that kind of work already' },
  TASK_ENDED: { status: 409, text: 'This task is {status}: it cannot be {to}' },
  CHECKLIST_INCOMPLETE: { status: 409, text: 'Points of the checklist are not done: {items}' },
  CHECKLIST_OTHER: { status: 422, text: 'The checklist has {count} points' },
  NOT_INSPECTABLE: { status: 409, text: 'Only finished cleaning is inspected, and once' },
  DISCREPANCY_RESOLVED: { status: 409, text: 'This discrepancy is settled already' },
  DECISION_UNFIT: { status: 422, text: '{decision} does not settle a discrepancy of kind {kind}' },
  HOUSE_UNKNOWN: { status: 409, text: 'The hotel day of this property is not known here yet' },
});
