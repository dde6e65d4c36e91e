-- What came in as in review has no work here to judge, so it is no item of an inbox.
comment on table public.tasks_in_review is 'Tasks that were moved to review, and since when (specification: States, Task).';
delete from public.tasks_in_review r
where not exists (
  select from public.task_status_changes c
  where c.task_id = r.task_id and c.to_status = 'REVIEW' and c.from_status is not null);
