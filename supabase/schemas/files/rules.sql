create trigger _900_emit after insert or delete on public.files for each row
  execute function private.tg_any__emit('file', '{product:product_id}', '{"story_id": "story_id", "task_id": "task_id"}');

-- Why: a file is sent while its comment is still being written. Once the comment is there it belongs to it, and goes with it.
create function private.adopt_files(p_comment public.comments)
returns void language plpgsql volatile set search_path = '' as $$
begin
  update public.files f set comment_id = p_comment.id
  where f.product_id = p_comment.product_id and f.created_by = p_comment.author_id
    and num_nonnulls(f.story_id, f.task_id, f.comment_id, f.job_id) = 0
    and f.id in (
      select m[1]::uuid
      from regexp_matches(p_comment.body, '/api/files/([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})', 'g') m)
    and not private.is_evidence(f.id);
end;
$$;
