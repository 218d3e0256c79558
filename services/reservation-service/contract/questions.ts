import { defineQuestion } from '@ghasi/backbone/question';
import { dayCheck } from '@melmastoon/property-service/contract';

/** What stands open of a hotel day here: arrivals that did not come, guests who should have left. */
export const dayStatus = defineQuestion({ name: 'reservation.day-status', ...dayCheck });
