-- Why: two equal changes in one transaction are two events. Each event gets a number here, so that nothing on the way
-- merges them and a browser can say which event it saw last.
create sequence private.event_seq;

comment on sequence private.event_seq is
  'Number of a change event (specification: Events). Only private.emit takes numbers.';
