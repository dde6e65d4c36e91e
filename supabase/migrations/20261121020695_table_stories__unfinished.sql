-- Why: every end of a story asks whether its PBI has one that failed or is not done; with these the answer does not grow
-- dearer with the number of stories (private.derived_pbi_status).
create index stories_failed_idx on public.stories (pbi_id) where status = 'FAILED';
create index stories_unfinished_idx on public.stories (pbi_id) where status <> 'DONE';
