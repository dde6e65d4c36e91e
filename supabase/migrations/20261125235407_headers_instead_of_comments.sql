-- Why: what a function, view or type is for is said once, in its header; comments stay on tables and columns, which tools show.
set local check_function_bodies = off;

COMMENT ON FUNCTION "operations"."accept_story"(uuid, uuid) IS NULL;

COMMENT ON FUNCTION "operations"."account_identity"(text, uuid) IS NULL;

COMMENT ON FUNCTION "operations"."add_comment"(text, uuid, text, boolean) IS NULL;

COMMENT ON FUNCTION "operations"."add_dependency"(text, uuid, text) IS NULL;

COMMENT ON FUNCTION "operations"."add_evidence"(uuid, jsonb) IS NULL;

COMMENT ON FUNCTION "operations"."add_file"(uuid, text, text, text, uuid, uuid, uuid, uuid) IS NULL;

COMMENT ON FUNCTION "operations"."add_job_comment"(uuid, integer, text, integer, text, text, text) IS NULL;

COMMENT ON FUNCTION "operations"."add_story_to_sprint"(uuid, uuid) IS NULL;

COMMENT ON FUNCTION "operations"."admin_list_users"(text) IS NULL;

COMMENT ON FUNCTION "operations"."admin_update_user"(uuid, text, boolean, boolean) IS NULL;

COMMENT ON FUNCTION "operations"."allow_my_workers"(uuid, boolean) IS NULL;

COMMENT ON FUNCTION "operations"."answer_invitation"(uuid, boolean) IS NULL;

COMMENT ON FUNCTION "operations"."answer_question"(uuid, text, integer) IS NULL;

COMMENT ON FUNCTION "operations"."answer_user_question"(uuid, text) IS NULL;

COMMENT ON FUNCTION "operations"."append_job_output"(uuid, integer, jsonb) IS NULL;

COMMENT ON FUNCTION "operations"."append_story_log"(uuid, text, text, text, text, text, jsonb) IS NULL;

COMMENT ON FUNCTION "operations"."approve_pairing"(uuid, text) IS NULL;

COMMENT ON FUNCTION "operations"."archive_idea"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."archive_product"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."ask_about_idea"(uuid, text) IS NULL;

COMMENT ON FUNCTION "operations"."ask_question"(text, uuid, uuid, uuid, jsonb, integer, uuid, integer, text, uuid, boolean, uuid, integer, text, text) IS NULL;

COMMENT ON FUNCTION "operations"."assign_story"(uuid, uuid) IS NULL;

COMMENT ON FUNCTION "operations"."cancel_agent_job"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."cancel_pairing"(uuid, text) IS NULL;

COMMENT ON FUNCTION "operations"."cancel_question"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."cancel_sprint"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."cancel_sprint_run"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."change_things"(jsonb, jsonb) IS NULL;

COMMENT ON FUNCTION "operations"."check_queue_empty"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."claim_agent_job"(text, uuid, uuid, jsonb, text, text, integer, text, jsonb) IS NULL;

COMMENT ON FUNCTION "operations"."claim_identity_checks"(text, integer, integer) IS NULL;

COMMENT ON FUNCTION "operations"."claim_pairing"(uuid, text, text, text, uuid) IS NULL;

COMMENT ON FUNCTION "operations"."claim_schedule_run"(text, timestamp with time zone) IS NULL;

COMMENT ON FUNCTION "operations"."cleanup_agent_artifacts"() IS NULL;

COMMENT ON FUNCTION "operations"."complete_sprint"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."configure_account"(uuid, text, boolean) IS NULL;

COMMENT ON FUNCTION "operations"."create_agent_job"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."create_api_token"(text, text, text, integer, jsonb, jsonb) IS NULL;

COMMENT ON FUNCTION "operations"."create_from_list"(jsonb, uuid, uuid) IS NULL;

COMMENT ON FUNCTION "operations"."create_idea"(uuid, text, text, boolean) IS NULL;

COMMENT ON FUNCTION "operations"."create_invitation"(uuid, text, text) IS NULL;

COMMENT ON FUNCTION "operations"."create_label"(uuid, text, text) IS NULL;

COMMENT ON FUNCTION "operations"."create_oauth_code"(uuid, uuid, text, text, text, text, text, text, jsonb, jsonb) IS NULL;

COMMENT ON FUNCTION "operations"."create_pbi"(uuid, text, text, text, integer, boolean) IS NULL;

COMMENT ON FUNCTION "operations"."create_product"(text, text, text, text, text, boolean, text, text, text, boolean, jsonb, text, text, text, text) IS NULL;

COMMENT ON FUNCTION "operations"."create_saved_view"(uuid, text, text, jsonb, boolean) IS NULL;

COMMENT ON FUNCTION "operations"."create_session"(uuid, text, text, uuid) IS NULL;

COMMENT ON FUNCTION "operations"."create_sprint"(uuid, text, date, date) IS NULL;

COMMENT ON FUNCTION "operations"."create_story"(uuid, text, text, text, text, integer, uuid, uuid, jsonb, jsonb, boolean) IS NULL;

COMMENT ON FUNCTION "operations"."create_task"(uuid, text, text, text, text, integer, text, boolean, text, boolean, integer, jsonb, jsonb, boolean) IS NULL;

COMMENT ON FUNCTION "operations"."create_webhook"(uuid, text, jsonb) IS NULL;

COMMENT ON FUNCTION "operations"."decline_story"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."delete_budget"(uuid, uuid) IS NULL;

COMMENT ON FUNCTION "operations"."delete_comment"(text, uuid, uuid) IS NULL;

COMMENT ON FUNCTION "operations"."delete_file"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."delete_job_comment"(uuid, uuid) IS NULL;

COMMENT ON FUNCTION "operations"."delete_label"(uuid, uuid) IS NULL;

COMMENT ON FUNCTION "operations"."delete_pbi"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."delete_product"(uuid, text) IS NULL;

COMMENT ON FUNCTION "operations"."delete_recurrence"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."delete_saved_view"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."delete_story"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."delete_task"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."delete_webhook"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."discard_import"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."doctor_facts"() IS NULL;

COMMENT ON FUNCTION "operations"."edit_comment"(text, uuid, uuid, text) IS NULL;

COMMENT ON FUNCTION "operations"."edit_task"(uuid, jsonb) IS NULL;

COMMENT ON FUNCTION "operations"."end_identity"(text, text, text) IS NULL;

COMMENT ON FUNCTION "operations"."end_session"(uuid, text) IS NULL;

COMMENT ON FUNCTION "operations"."enrol_member"(uuid, uuid, text) IS NULL;

COMMENT ON FUNCTION "operations"."expire_questions"() IS NULL;

COMMENT ON FUNCTION "operations"."export_file"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."export_product"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."find_identity_account"(text, text, text) IS NULL;

COMMENT ON FUNCTION "operations"."find_invitation"(text) IS NULL;

COMMENT ON FUNCTION "operations"."find_login_identity"(text, uuid) IS NULL;

COMMENT ON FUNCTION "operations"."find_lost_viewers"(jsonb) IS NULL;

COMMENT ON FUNCTION "operations"."find_wrong_counters"() IS NULL;

COMMENT ON FUNCTION "operations"."finish_schedule_run"(text, timestamp with time zone) IS NULL;

COMMENT ON FUNCTION "operations"."fire_recurrence"(uuid, timestamp with time zone, timestamp with time zone, boolean, timestamp with time zone) IS NULL;

COMMENT ON FUNCTION "operations"."get_agent_context"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."get_agent_job"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."get_avatar"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."get_backlog"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."get_backlog_tree"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."get_branch"(text, uuid) IS NULL;

COMMENT ON FUNCTION "operations"."get_budgets"(uuid, uuid, uuid, uuid) IS NULL;

COMMENT ON FUNCTION "operations"."get_dashboard"() IS NULL;

COMMENT ON FUNCTION "operations"."get_forecast"(uuid, uuid) IS NULL;

COMMENT ON FUNCTION "operations"."get_idea"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."get_idea_conversation"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."get_inbox"(text, jsonb) IS NULL;

COMMENT ON FUNCTION "operations"."get_insights"(uuid, uuid) IS NULL;

COMMENT ON FUNCTION "operations"."get_intake_hook"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."get_issue_label"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."get_job_diff"(uuid, integer) IS NULL;

COMMENT ON FUNCTION "operations"."get_job_output"(uuid, integer, bigint, integer) IS NULL;

COMMENT ON FUNCTION "operations"."get_job_proof"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."get_metrics"() IS NULL;

COMMENT ON FUNCTION "operations"."get_next_story"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."get_notifications_state"() IS NULL;

COMMENT ON FUNCTION "operations"."get_oauth_client"(text) IS NULL;

COMMENT ON FUNCTION "operations"."get_pairing_for_approval"(uuid, uuid, text) IS NULL;

COMMENT ON FUNCTION "operations"."get_pairing_state"(uuid, text) IS NULL;

COMMENT ON FUNCTION "operations"."get_pbi"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."get_product"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."get_profile"() IS NULL;

COMMENT ON FUNCTION "operations"."get_proof"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."get_question"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."get_recurrence"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."get_shell"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."get_solo_board"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."get_solo_state"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."get_sprint"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."get_sprint_board"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."get_sprint_context"(uuid, integer, uuid) IS NULL;

COMMENT ON FUNCTION "operations"."get_sprint_review"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."get_sprint_run"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."get_story"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."get_story_page"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."get_task_detail"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."get_task_page"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."give_back_limit"(text, text) IS NULL;

COMMENT ON FUNCTION "operations"."has_accounts"() IS NULL;

COMMENT ON FUNCTION "operations"."heartbeat_agent_job"(uuid, integer, integer, jsonb, jsonb) IS NULL;

COMMENT ON FUNCTION "operations"."import_backlog"(jsonb, uuid, text, text, boolean) IS NULL;

COMMENT ON FUNCTION "operations"."import_dependencies"(uuid, jsonb) IS NULL;

COMMENT ON FUNCTION "operations"."import_file"(uuid, jsonb, text) IS NULL;

COMMENT ON FUNCTION "operations"."import_ideas"(uuid, uuid, jsonb, timestamp with time zone) IS NULL;

COMMENT ON FUNCTION "operations"."import_product"(uuid, jsonb) IS NULL;

COMMENT ON FUNCTION "operations"."import_stories"(uuid, uuid, jsonb) IS NULL;

COMMENT ON FUNCTION "operations"."invite_person"(uuid, text, text) IS NULL;

COMMENT ON FUNCTION "operations"."issue_api_token"(uuid, text, text, text, integer) IS NULL;

COMMENT ON FUNCTION "operations"."join_product"(text, boolean) IS NULL;

COMMENT ON FUNCTION "operations"."keep_identity"(text, text, text, text, boolean) IS NULL;

COMMENT ON FUNCTION "operations"."leave_product"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."link_idea_product"(uuid, uuid) IS NULL;

COMMENT ON FUNCTION "operations"."link_identity"(text, text, uuid, boolean, text) IS NULL;

COMMENT ON FUNCTION "operations"."list_agent_jobs"(uuid, uuid, text, integer, uuid) IS NULL;

COMMENT ON FUNCTION "operations"."list_agent_workers"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."list_api_tokens"() IS NULL;

COMMENT ON FUNCTION "operations"."list_audit_events"(boolean, timestamp with time zone) IS NULL;

COMMENT ON FUNCTION "operations"."list_candidates"(text, uuid, text) IS NULL;

COMMENT ON FUNCTION "operations"."list_comments"(text, uuid, integer, uuid) IS NULL;

COMMENT ON FUNCTION "operations"."list_dependencies"(text, uuid) IS NULL;

COMMENT ON FUNCTION "operations"."list_due_recurrences"() IS NULL;

COMMENT ON FUNCTION "operations"."list_files"(uuid, integer, uuid) IS NULL;

COMMENT ON FUNCTION "operations"."list_grants"() IS NULL;

COMMENT ON FUNCTION "operations"."list_ideas"(uuid, boolean, integer, uuid) IS NULL;

COMMENT ON FUNCTION "operations"."list_invitations"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."list_job_comments"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."list_job_messages"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."list_labels"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."list_landings"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."list_model_prices"() IS NULL;

COMMENT ON FUNCTION "operations"."list_open_user_questions"(uuid, integer, uuid) IS NULL;

COMMENT ON FUNCTION "operations"."list_own_invitations"() IS NULL;

COMMENT ON FUNCTION "operations"."list_pbi_stories"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."list_product_members"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."list_product_overviews"(boolean) IS NULL;

COMMENT ON FUNCTION "operations"."list_products"() IS NULL;

COMMENT ON FUNCTION "operations"."list_pull_texts"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."list_pulls"(uuid, text) IS NULL;

COMMENT ON FUNCTION "operations"."list_push_subscriptions"() IS NULL;

COMMENT ON FUNCTION "operations"."list_questions"(uuid, text, uuid, integer, uuid) IS NULL;

COMMENT ON FUNCTION "operations"."list_ready"(uuid, integer) IS NULL;

COMMENT ON FUNCTION "operations"."list_run_order"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."list_saved_views"(uuid, text) IS NULL;

COMMENT ON FUNCTION "operations"."list_sent_messages"(jsonb) IS NULL;

COMMENT ON FUNCTION "operations"."list_sessions"() IS NULL;

COMMENT ON FUNCTION "operations"."list_sprint_runs"(uuid, uuid, integer, uuid) IS NULL;

COMMENT ON FUNCTION "operations"."list_sprint_tasks"(uuid, integer) IS NULL;

COMMENT ON FUNCTION "operations"."list_sprints"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."list_story_logs"(uuid, integer, uuid) IS NULL;

COMMENT ON FUNCTION "operations"."list_story_tasks"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."list_triage"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."list_webhook_deliveries"(uuid, integer, uuid) IS NULL;

COMMENT ON FUNCTION "operations"."list_webhooks"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."make_story_tasks"(uuid, jsonb) IS NULL;

COMMENT ON FUNCTION "operations"."mark_inbox_item"(text, uuid, text, timestamp with time zone) IS NULL;

COMMENT ON FUNCTION "operations"."mark_notice"(uuid, boolean, integer, text, boolean, jsonb) IS NULL;

COMMENT ON FUNCTION "operations"."mark_pbi_pr_merged"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."merge_story"(uuid, uuid) IS NULL;

COMMENT ON FUNCTION "operations"."message_job"(uuid, text) IS NULL;

COMMENT ON FUNCTION "operations"."move_pbi"(uuid, uuid, uuid, integer) IS NULL;

COMMENT ON FUNCTION "operations"."move_stories"(jsonb, uuid) IS NULL;

COMMENT ON FUNCTION "operations"."move_task"(uuid, uuid) IS NULL;

COMMENT ON FUNCTION "operations"."next_issue_note"(uuid, text, text) IS NULL;

COMMENT ON FUNCTION "operations"."next_landing"(uuid, text, boolean) IS NULL;

COMMENT ON FUNCTION "operations"."observe_issues"(uuid, text, jsonb) IS NULL;

COMMENT ON FUNCTION "operations"."observe_pulls"(uuid, jsonb) IS NULL;

COMMENT ON FUNCTION "operations"."password_changed"(uuid, uuid, boolean, uuid, text) IS NULL;

COMMENT ON FUNCTION "operations"."pause_sprint_run"(uuid, text, text, jsonb, uuid, integer, boolean) IS NULL;

COMMENT ON FUNCTION "operations"."ping"() IS NULL;

COMMENT ON FUNCTION "operations"."ping_webhook"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."place_files"(uuid, jsonb) IS NULL;

COMMENT ON FUNCTION "operations"."preflight_sprint_run"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."promote_idea"(uuid, uuid, text, text, text, integer) IS NULL;

COMMENT ON FUNCTION "operations"."read_backlog_stream"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."read_file"(uuid, integer, integer) IS NULL;

COMMENT ON FUNCTION "operations"."read_job_stream"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."read_notifications_stream"() IS NULL;

COMMENT ON FUNCTION "operations"."read_solo_stream"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."receive_item"(text, text, text, text, text) IS NULL;

COMMENT ON FUNCTION "operations"."redeem_oauth_code"(text, text, text, text, text, text, text, text, text) IS NULL;

COMMENT ON FUNCTION "operations"."refresh_oauth_token"(text, text, text, jsonb, text, text, text, text) IS NULL;

COMMENT ON FUNCTION "operations"."register_oauth_client"(text, text, jsonb, text) IS NULL;

COMMENT ON FUNCTION "operations"."remove_dependency"(text, uuid, text) IS NULL;

COMMENT ON FUNCTION "operations"."remove_product_member"(uuid, uuid) IS NULL;

COMMENT ON FUNCTION "operations"."remove_story_from_sprint"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."report_agent_job"(uuid, integer, jsonb) IS NULL;

COMMENT ON FUNCTION "operations"."report_issue_note"(uuid, uuid, text, text) IS NULL;

COMMENT ON FUNCTION "operations"."report_job_conflict"(uuid, integer, jsonb) IS NULL;

COMMENT ON FUNCTION "operations"."report_job_usage"(uuid, integer, jsonb) IS NULL;

COMMENT ON FUNCTION "operations"."report_landing"(uuid, uuid, text, text, text) IS NULL;

COMMENT ON FUNCTION "operations"."report_merged"(uuid, text) IS NULL;

COMMENT ON FUNCTION "operations"."reserve_invitation"(text, boolean) IS NULL;

COMMENT ON FUNCTION "operations"."resolve_account"(text) IS NULL;

COMMENT ON FUNCTION "operations"."resolve_product"(text) IS NULL;

COMMENT ON FUNCTION "operations"."resolve_reference"(text, text, uuid) IS NULL;

COMMENT ON FUNCTION "operations"."restart_worker"(text, boolean) IS NULL;

COMMENT ON FUNCTION "operations"."restore_idea"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."restore_product"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."resume_sprint"(uuid, boolean, boolean, boolean, boolean) IS NULL;

COMMENT ON FUNCTION "operations"."resume_sprint_run"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."review_job"(uuid, text, text) IS NULL;

COMMENT ON FUNCTION "operations"."revoke_api_token"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."revoke_intake_hook"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."revoke_invitation"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."revoke_oauth_token"(text, text, text) IS NULL;

COMMENT ON FUNCTION "operations"."revoke_other_sessions"() IS NULL;

COMMENT ON FUNCTION "operations"."revoke_pairing"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."revoke_session"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."save_job_diff"(uuid, integer, jsonb) IS NULL;

COMMENT ON FUNCTION "operations"."search"(text, uuid, text, integer, text) IS NULL;

COMMENT ON FUNCTION "operations"."send_probe"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."set_active_product"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."set_avatar"(text, text) IS NULL;

COMMENT ON FUNCTION "operations"."set_budget"(uuid, text, text, numeric, text, uuid) IS NULL;

COMMENT ON FUNCTION "operations"."set_budget_settings"(uuid, jsonb) IS NULL;

COMMENT ON FUNCTION "operations"."set_intake_hook"(uuid, uuid, text) IS NULL;

COMMENT ON FUNCTION "operations"."set_member_role"(uuid, uuid, text) IS NULL;

COMMENT ON FUNCTION "operations"."set_model_price"(text, numeric, numeric, numeric, numeric, text) IS NULL;

COMMENT ON FUNCTION "operations"."set_pbi_pr"(uuid, text) IS NULL;

COMMENT ON FUNCTION "operations"."set_recurrence"(uuid, text, text, text, timestamp with time zone) IS NULL;

COMMENT ON FUNCTION "operations"."set_task_status"(uuid, text, boolean) IS NULL;

COMMENT ON FUNCTION "operations"."start_over"(text, uuid) IS NULL;

COMMENT ON FUNCTION "operations"."start_pairing"(text, text, text, text, text) IS NULL;

COMMENT ON FUNCTION "operations"."start_run"(jsonb, uuid, text, boolean, boolean, boolean, jsonb) IS NULL;

COMMENT ON FUNCTION "operations"."start_sprint"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."start_sprint_run"(uuid, jsonb, boolean, boolean, boolean) IS NULL;

COMMENT ON FUNCTION "operations"."subscribe_push"(text, text, text, text) IS NULL;

COMMENT ON FUNCTION "operations"."sweep"(boolean) IS NULL;

COMMENT ON FUNCTION "operations"."sweep_expired_leases"() IS NULL;

COMMENT ON FUNCTION "operations"."take_due_notices"(integer, integer) IS NULL;

COMMENT ON FUNCTION "operations"."take_limit"(text, text) IS NULL;

COMMENT ON FUNCTION "operations"."taken_file_ids"(jsonb) IS NULL;

COMMENT ON FUNCTION "operations"."undo_change"() IS NULL;

COMMENT ON FUNCTION "operations"."unlink_idea_product"(uuid, uuid) IS NULL;

COMMENT ON FUNCTION "operations"."unsubscribe_push"(uuid, text) IS NULL;

COMMENT ON FUNCTION "operations"."update_idea"(uuid, jsonb) IS NULL;

COMMENT ON FUNCTION "operations"."update_label"(uuid, uuid, jsonb) IS NULL;

COMMENT ON FUNCTION "operations"."update_pbi"(uuid, jsonb) IS NULL;

COMMENT ON FUNCTION "operations"."update_product"(uuid, jsonb) IS NULL;

COMMENT ON FUNCTION "operations"."update_profile"(text, integer, text) IS NULL;

COMMENT ON FUNCTION "operations"."update_saved_view"(uuid, jsonb) IS NULL;

COMMENT ON FUNCTION "operations"."update_sprint"(uuid, jsonb) IS NULL;

COMMENT ON FUNCTION "operations"."update_story"(uuid, jsonb) IS NULL;

COMMENT ON FUNCTION "operations"."update_task"(uuid, text, text, boolean, text, jsonb, jsonb) IS NULL;

COMMENT ON FUNCTION "operations"."update_task_execution"(uuid, integer, uuid, text, text, text, text, text) IS NULL;

COMMENT ON FUNCTION "operations"."update_webhook"(uuid, text, jsonb, boolean) IS NULL;

COMMENT ON FUNCTION "operations"."verify_sprint_task"(uuid, integer, uuid, text, jsonb, jsonb, text, text) IS NULL;

COMMENT ON FUNCTION "operations"."verify_task_against_plan"(uuid, integer, text, jsonb, jsonb, text, text) IS NULL;

COMMENT ON FUNCTION "operations"."waive_criterion"(uuid, text, text) IS NULL;

COMMENT ON FUNCTION "operations"."why_not_moving"(text, uuid) IS NULL;

COMMENT ON FUNCTION "operations"."worker_heartbeat"(text, text, text, integer, boolean, jsonb, text) IS NULL;

COMMENT ON FUNCTION "private"."access_token_lifetime"() IS NULL;

COMMENT ON FUNCTION "private"."accessible_product_ids"() IS NULL;

COMMENT ON FUNCTION "private"."act_on_budget_answer"(public.agent_questions, integer) IS NULL;

COMMENT ON FUNCTION "private"."act_on_reach_answer"(public.agent_questions, integer) IS NULL;

COMMENT ON FUNCTION "private"."active_run_of_task"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."add_dependencies"(text, uuid, jsonb) IS NULL;

COMMENT ON FUNCTION "private"."add_up_budget"(public.budgets) IS NULL;

COMMENT ON FUNCTION "private"."adopt_files"(public.comments) IS NULL;

COMMENT ON FUNCTION "private"."advance_branch_queue"(public.agent_jobs) IS NULL;

COMMENT ON FUNCTION "private"."advance_task"(public.agent_jobs) IS NULL;

COMMENT ON FUNCTION "private"."after_job_change"(public.agent_jobs, public.agent_jobs) IS NULL;

COMMENT ON FUNCTION "private"."after_story_change"() IS NULL;

COMMENT ON FUNCTION "private"."after_task_change"(public.tasks, public.tasks) IS NULL;

COMMENT ON FUNCTION "private"."agent_tasks"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."answer_chat"(public.agent_jobs, text) IS NULL;

COMMENT ON FUNCTION "private"."answer_pairing"(uuid, text, public.pairing_status) IS NULL;

COMMENT ON FUNCTION "private"."answer_spent_refresh_token"(bytea, text) IS NULL;

COMMENT ON FUNCTION "private"."are_hosts"(jsonb) IS NULL;

COMMENT ON FUNCTION "private"."ask_about_proof"(public.agent_jobs) IS NULL;

COMMENT ON FUNCTION "private"."ask_person"(public.agent_jobs, boolean, text) IS NULL;

COMMENT ON FUNCTION "private"."attempt_state"(public.agent_jobs, integer) IS NULL;

COMMENT ON FUNCTION "private"."attempt_usage_json"(uuid, integer) IS NULL;

COMMENT ON FUNCTION "private"."attempt_used"(uuid, integer, text) IS NULL;

COMMENT ON FUNCTION "private"."attempt_words"(public.agent_jobs, integer, text) IS NULL;

COMMENT ON FUNCTION "private"."attempts_json"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."audit"(uuid, uuid, text, jsonb, text) IS NULL;

COMMENT ON FUNCTION "private"."awaited_heads"(uuid, uuid) IS NULL;

COMMENT ON FUNCTION "private"."awaited_work"(uuid[], integer) IS NULL;

COMMENT ON FUNCTION "private"."base_refs"(public.agent_jobs) IS NULL;

COMMENT ON FUNCTION "private"."batch_executions"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."begin_attempt"(public.agent_jobs) IS NULL;

COMMENT ON FUNCTION "private"."beginnings"(uuid[]) IS NULL;

COMMENT ON FUNCTION "private"."begins_from"(public.agent_jobs) IS NULL;

COMMENT ON FUNCTION "private"."blocker_json"(uuid, text, text, text, boolean) IS NULL;

COMMENT ON FUNCTION "private"."blockers_sentence"(jsonb) IS NULL;

COMMENT ON FUNCTION "private"."board_tasks"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."branch_head"(private.works) IS NULL;

COMMENT ON FUNCTION "private"."branch_part"(text, uuid) IS NULL;

COMMENT ON FUNCTION "private"."bring_item"(uuid, text, text, text, text, text) IS NULL;

COMMENT ON FUNCTION "private"."bring_next_in_turn"(uuid, uuid) IS NULL;

COMMENT ON FUNCTION "private"."budget_amount_text"(numeric, text) IS NULL;

COMMENT ON FUNCTION "private"."budget_at_work"(public.budgets, uuid) IS NULL;

COMMENT ON FUNCTION "private"."budget_covers"(public.budgets, public.agent_jobs) IS NULL;

COMMENT ON FUNCTION "private"."budget_json"(public.budgets) IS NULL;

COMMENT ON FUNCTION "private"."budget_left"(public.agent_jobs, private.budget_room[]) IS NULL;

COMMENT ON FUNCTION "private"."budget_metrics"() IS NULL;

COMMENT ON FUNCTION "private"."budget_name"(public.budgets) IS NULL;

COMMENT ON FUNCTION "private"."budget_need"(public.agent_jobs, jsonb) IS NULL;

COMMENT ON FUNCTION "private"."budget_payload"(public.agent_jobs, private.budget_room[]) IS NULL;

COMMENT ON FUNCTION "private"."budget_raise"(public.budgets) IS NULL;

COMMENT ON FUNCTION "private"."budget_reasons"(public.agent_jobs) IS NULL;

COMMENT ON FUNCTION "private"."budget_settings_of"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."budget_spent"(public.budgets) IS NULL;

COMMENT ON FUNCTION "private"."budget_stop_text"(public.budgets) IS NULL;

COMMENT ON FUNCTION "private"."budget_warnings"(public.sprints) IS NULL;

COMMENT ON FUNCTION "private"."budget_window"(public.budgets) IS NULL;

COMMENT ON FUNCTION "private"."build_call"(text, text, jsonb) IS NULL;

COMMENT ON FUNCTION "private"."burndown"(public.sprints) IS NULL;

COMMENT ON FUNCTION "private"."call_scheduled_endpoint"(text) IS NULL;

COMMENT ON FUNCTION "private"."carry_out_expiry"(public.agent_questions) IS NULL;

COMMENT ON FUNCTION "private"."change_event"(text, text, jsonb, jsonb, jsonb) IS NULL;

COMMENT ON FUNCTION "private"."change_label"(text, uuid, jsonb) IS NULL;

COMMENT ON FUNCTION "private"."change_sprint_status"(uuid, public.sprint_status, public.sprint_status) IS NULL;

COMMENT ON FUNCTION "private"."change_thing"(text, uuid, jsonb) IS NULL;

COMMENT ON FUNCTION "private"."changed_fields"(jsonb, jsonb) IS NULL;

COMMENT ON FUNCTION "private"."changed_job_fields"(public.agent_jobs, public.agent_jobs) IS NULL;

COMMENT ON FUNCTION "private"."changed_task_fields"(public.tasks, public.tasks) IS NULL;

COMMENT ON FUNCTION "private"."chat_questions"(public.agent_jobs) IS NULL;

COMMENT ON FUNCTION "private"."check_observation"(jsonb, public.evidence_grade, integer) IS NULL;

COMMENT ON FUNCTION "private"."check_private_question"(public.question_kind, uuid, uuid, uuid, text, text) IS NULL;

COMMENT ON FUNCTION "private"."check_question"(text, jsonb, integer, integer, text, uuid, uuid) IS NULL;

COMMENT ON FUNCTION "private"."check_webhook"(text, jsonb) IS NULL;

COMMENT ON FUNCTION "private"."ci_words"(jsonb) IS NULL;

COMMENT ON FUNCTION "private"."classify_diff"(text, jsonb) IS NULL;

COMMENT ON FUNCTION "private"."close_question"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."closed_budgets"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."code_of"(text, uuid) IS NULL;

COMMENT ON FUNCTION "private"."code_taken"(uuid, text, text) IS NULL;

COMMENT ON FUNCTION "private"."comes_with_batch"(uuid, uuid, text, uuid, boolean) IS NULL;

COMMENT ON FUNCTION "private"."comment_json"(public.job_comments) IS NULL;

COMMENT ON FUNCTION "private"."comment_path"(public.comments) IS NULL;

COMMENT ON FUNCTION "private"."comment_words"(jsonb) IS NULL;

COMMENT ON FUNCTION "private"."complete_run"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."conflict_payload"(public.agent_jobs) IS NULL;

COMMENT ON FUNCTION "private"."conflict_reasons"(text, uuid) IS NULL;

COMMENT ON FUNCTION "private"."conflict_rival"(public.agent_jobs, text, text) IS NULL;

COMMENT ON FUNCTION "private"."continue_run"(public.sprint_runs) IS NULL;

COMMENT ON FUNCTION "private"."copy_template"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."cost_insights"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."costs_of"(uuid, uuid) IS NULL;

COMMENT ON FUNCTION "private"."count_open_blockers"(public.agent_jobs) IS NULL;

COMMENT ON FUNCTION "private"."create_batch_job"(public.sprint_runs) IS NULL;

COMMENT ON FUNCTION "private"."create_run"(public.sprints, public.products, public.sprint_runs, uuid[], boolean) IS NULL;

COMMENT ON FUNCTION "private"."criteria_of"(text, text) IS NULL;

COMMENT ON FUNCTION "private"."criteria_payload"(public.agent_jobs) IS NULL;

COMMENT ON FUNCTION "private"."criterion_id"(text) IS NULL;

COMMENT ON FUNCTION "private"."current_job_id"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."current_row"(text, uuid) IS NULL;

COMMENT ON FUNCTION "private"."current_session_id"() IS NULL;

COMMENT ON FUNCTION "private"."deadlock_blockers"(public.products, uuid[], uuid[]) IS NULL;

COMMENT ON FUNCTION "private"."decide_conflict"(public.agent_jobs, text, text, public.agent_jobs, boolean) IS NULL;

COMMENT ON FUNCTION "private"."decline_issue"(uuid, text) IS NULL;

COMMENT ON FUNCTION "private"."dependencies_json"(text, uuid) IS NULL;

COMMENT ON FUNCTION "private"."dependency_blockers"(uuid, uuid[], uuid[]) IS NULL;

COMMENT ON FUNCTION "private"."dependency_reasons"(uuid[], uuid) IS NULL;

COMMENT ON FUNCTION "private"."derive_pbis"(uuid[]) IS NULL;

COMMENT ON FUNCTION "private"."derive_stories"(uuid[]) IS NULL;

COMMENT ON FUNCTION "private"."derived_pbi_status"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."derived_story_status"(uuid, uuid) IS NULL;

COMMENT ON FUNCTION "private"."doing_now"(uuid, integer) IS NULL;

COMMENT ON FUNCTION "private"."done_words"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."drop_output_middle"(public.job_attempts) IS NULL;

COMMENT ON FUNCTION "private"."due_issue_notes"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."earlier_attempts"(public.agent_jobs) IS NULL;

COMMENT ON FUNCTION "private"."earlier_jobs"(public.agent_jobs, uuid) IS NULL;

COMMENT ON FUNCTION "private"."emit"(text, jsonb) IS NULL;

COMMENT ON FUNCTION "private"."emit_job_output"(public.agent_jobs, public.job_attempts) IS NULL;

COMMENT ON FUNCTION "private"."emit_story_change"(uuid, text) IS NULL;

COMMENT ON FUNCTION "private"."emit_task_change"(uuid, text) IS NULL;

COMMENT ON FUNCTION "private"."emit_to_members"(uuid, jsonb) IS NULL;

COMMENT ON FUNCTION "private"."end_access"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."end_attempt"(public.agent_jobs, public.agent_jobs) IS NULL;

COMMENT ON FUNCTION "private"."end_grant"(uuid, text) IS NULL;

COMMENT ON FUNCTION "private"."end_landing"(public.landings, text, text, text) IS NULL;

COMMENT ON FUNCTION "private"."end_reviewed_run"(public.sprint_runs) IS NULL;

COMMENT ON FUNCTION "private"."end_run"(public.sprint_runs, public.sprint_run_status, text, jsonb) IS NULL;

COMMENT ON FUNCTION "private"."end_session_chain"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."end_sessions"(uuid, uuid) IS NULL;

COMMENT ON FUNCTION "private"."end_unconfirmed"(text, interval) IS NULL;

COMMENT ON FUNCTION "private"."ended_before_review"(public.agent_jobs) IS NULL;

COMMENT ON FUNCTION "private"."ensure_worker"(uuid, text) IS NULL;

COMMENT ON FUNCTION "private"."enter_phase"(public.agent_jobs) IS NULL;

COMMENT ON FUNCTION "private"."estimates_of"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."evidence_json"(public.evidence, boolean) IS NULL;

COMMENT ON FUNCTION "private"."execution_json"(public.task_executions) IS NULL;

COMMENT ON FUNCTION "private"."expected_use"(uuid, text, text) IS NULL;

COMMENT ON FUNCTION "private"."expects_ci"(public.landings) IS NULL;

COMMENT ON FUNCTION "private"."export_blocked_by"(text, uuid) IS NULL;

COMMENT ON FUNCTION "private"."export_comments"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."export_evidence"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."export_files"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."export_ideas"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."export_log"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."export_reviews"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."export_stories"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."export_tasks"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."export_time"(timestamp with time zone) IS NULL;

COMMENT ON FUNCTION "private"."export_waivers"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."field_versions"(text, uuid) IS NULL;

COMMENT ON FUNCTION "private"."file_json"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."files_of"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."find_blocker"(text, uuid, text) IS NULL;

COMMENT ON FUNCTION "private"."find_matches"(text, uuid, text, integer, integer) IS NULL;

COMMENT ON FUNCTION "private"."find_path"(text, uuid, text, uuid) IS NULL;

COMMENT ON FUNCTION "private"."find_reference"(text, text, uuid, uuid) IS NULL;

COMMENT ON FUNCTION "private"."findings"(public.agent_jobs) IS NULL;

COMMENT ON FUNCTION "private"."finish_elsewhere"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."finish_outcome"(public.agent_jobs, text, public.verify_result) IS NULL;

COMMENT ON FUNCTION "private"."finished_tasks"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."finished_use"(uuid, text, integer) IS NULL;

COMMENT ON FUNCTION "private"."finishes_story"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."first_open_story"(uuid, uuid) IS NULL;

COMMENT ON FUNCTION "private"."fits_budgets"(uuid, uuid[]) IS NULL;

COMMENT ON FUNCTION "private"."follow_landing"(public.pulls, jsonb) IS NULL;

COMMENT ON FUNCTION "private"."follow_pull"(public.pulls, public.agent_jobs, jsonb) IS NULL;

COMMENT ON FUNCTION "private"."followers"(text, uuid) IS NULL;

COMMENT ON FUNCTION "private"."follows_unlanded"(public.agent_jobs) IS NULL;

COMMENT ON FUNCTION "private"."format_code"(text, bigint) IS NULL;

COMMENT ON FUNCTION "private"."fresh_starts_of"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."frozen_product_ids"() IS NULL;

COMMENT ON FUNCTION "private"."full_budgets"(private.budget_room[]) IS NULL;

COMMENT ON FUNCTION "private"."gate"(public.verify_required, public.verify_result, boolean) IS NULL;

COMMENT ON FUNCTION "private"."get_sprint_burndown"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."give_back_job"(public.agent_jobs) IS NULL;

COMMENT ON FUNCTION "private"."hand_over_messages"(public.agent_jobs, jsonb) IS NULL;

COMMENT ON FUNCTION "private"."has_arrived"(uuid, text, uuid, uuid, text) IS NULL;

COMMENT ON FUNCTION "private"."has_criteria"(uuid[]) IS NULL;

COMMENT ON FUNCTION "private"."has_landed"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."has_open_copy"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."has_passed_ci"(public.agent_jobs) IS NULL;

COMMENT ON FUNCTION "private"."has_product_access"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."hear_worker"(uuid, jsonb, text[]) IS NULL;

COMMENT ON FUNCTION "private"."heed_budget"(public.agent_jobs, jsonb) IS NULL;

COMMENT ON FUNCTION "private"."heed_waiting"(uuid, public.task_status, boolean) IS NULL;

COMMENT ON FUNCTION "private"."held_by_runs"(uuid, boolean) IS NULL;

COMMENT ON FUNCTION "private"."held_tasks"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."hold_execution"(public.agent_jobs, uuid) IS NULL;

COMMENT ON FUNCTION "private"."hold_job"(uuid, integer) IS NULL;

COMMENT ON FUNCTION "private"."holds_task"(uuid, public.verify_result) IS NULL;

COMMENT ON FUNCTION "private"."idea_payload"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."import_comments"(uuid, text, jsonb) IS NULL;

COMMENT ON FUNCTION "private"."import_labels"(uuid, jsonb) IS NULL;

COMMENT ON FUNCTION "private"."import_proof"(uuid, jsonb) IS NULL;

COMMENT ON FUNCTION "private"."import_relations"(uuid, jsonb, text[]) IS NULL;

COMMENT ON FUNCTION "private"."import_reviews"(uuid, jsonb) IS NULL;

COMMENT ON FUNCTION "private"."import_rows"(uuid, jsonb) IS NULL;

COMMENT ON FUNCTION "private"."imported_file"(uuid, text) IS NULL;

COMMENT ON FUNCTION "private"."imported_reviews"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."inbox_count"() IS NULL;

COMMENT ON FUNCTION "private"."inbox_item_json"(text, uuid) IS NULL;

COMMENT ON FUNCTION "private"."inbox_items"() IS NULL;

COMMENT ON FUNCTION "private"."inbox_state"(timestamp with time zone, public.inbox_marks) IS NULL;

COMMENT ON FUNCTION "private"."insert_dependency"(text, uuid, uuid, uuid) IS NULL;

COMMENT ON FUNCTION "private"."insert_evidence"(uuid, jsonb, public.evidence_grade, integer, public.agent_jobs, text) IS NULL;

COMMENT ON FUNCTION "private"."install_schedules"() IS NULL;

COMMENT ON FUNCTION "private"."intake_pbi"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."is_address_confirmed"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."is_admin"() IS NULL;

COMMENT ON FUNCTION "private"."is_budget_reached"(public.budgets) IS NULL;

COMMENT ON FUNCTION "private"."is_demo"() IS NULL;

COMMENT ON FUNCTION "private"."is_evidence"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."is_first"(public.pulls, text, text, uuid, text) IS NULL;

COMMENT ON FUNCTION "private"."is_followed"(text, jsonb) IS NULL;

COMMENT ON FUNCTION "private"."is_for_person"(public.agent_jobs, public.verify_result) IS NULL;

COMMENT ON FUNCTION "private"."is_fresh"(public.evidence, public.story_heads) IS NULL;

COMMENT ON FUNCTION "private"."is_held"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."is_host"(text) IS NULL;

COMMENT ON FUNCTION "private"."is_in_part"(public.verify_result) IS NULL;

COMMENT ON FUNCTION "private"."is_lane_held"(uuid, uuid) IS NULL;

COMMENT ON FUNCTION "private"."is_left_to_owner"(public.agent_questions) IS NULL;

COMMENT ON FUNCTION "private"."is_oauth_client"(text) IS NULL;

COMMENT ON FUNCTION "private"."is_online"(timestamp with time zone, timestamp with time zone) IS NULL;

COMMENT ON FUNCTION "private"."is_open_to_token"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."is_output_news"(timestamp with time zone, timestamp with time zone) IS NULL;

COMMENT ON FUNCTION "private"."is_own_address"(uuid, text) IS NULL;

COMMENT ON FUNCTION "private"."is_product_budget_reached"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."is_run_unfinished"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."is_taken_up"(public.stories) IS NULL;

COMMENT ON FUNCTION "private"."is_there_already"(jsonb, jsonb) IS NULL;

COMMENT ON FUNCTION "private"."is_token"() IS NULL;

COMMENT ON FUNCTION "private"."is_worked_on"(public.agent_jobs) IS NULL;

COMMENT ON FUNCTION "private"."issue_words"(jsonb) IS NULL;

COMMENT ON FUNCTION "private"."item_comment_json"(public.comments) IS NULL;

COMMENT ON FUNCTION "private"."job_costs"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."job_dependency_reasons"(public.agent_jobs) IS NULL;

COMMENT ON FUNCTION "private"."job_json"(public.agent_jobs) IS NULL;

COMMENT ON FUNCTION "private"."job_metrics"() IS NULL;

COMMENT ON FUNCTION "private"."job_of_branch"(uuid, text, text) IS NULL;

COMMENT ON FUNCTION "private"."job_payload"(public.agent_jobs) IS NULL;

COMMENT ON FUNCTION "private"."job_questions"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."job_reasons"(public.agent_jobs) IS NULL;

COMMENT ON FUNCTION "private"."job_states"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."jobs_of_story"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."jobs_to_finish"(public.sprint_runs, public.budgets) IS NULL;

COMMENT ON FUNCTION "private"."keep_answer"(uuid, text, json) IS NULL;

COMMENT ON FUNCTION "private"."keep_past"(uuid[]) IS NULL;

COMMENT ON FUNCTION "private"."keep_personal_invitation"(uuid, uuid, public.member_role) IS NULL;

COMMENT ON FUNCTION "private"."keep_plan"(public.agent_jobs, uuid, text) IS NULL;

COMMENT ON FUNCTION "private"."keep_usage_so_far"(uuid, integer) IS NULL;

COMMENT ON FUNCTION "private"."kept_back"(jsonb, uuid[]) IS NULL;

COMMENT ON FUNCTION "private"."kept_call_lifetime"() IS NULL;

COMMENT ON FUNCTION "private"."known_item"(uuid, text) IS NULL;

COMMENT ON FUNCTION "private"."label_change"(jsonb, uuid) IS NULL;

COMMENT ON FUNCTION "private"."label_ids_named"(uuid, jsonb) IS NULL;

COMMENT ON FUNCTION "private"."label_names"(uuid[]) IS NULL;

COMMENT ON FUNCTION "private"."labels_of"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."landing_insights"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."landing_json"(public.landings) IS NULL;

COMMENT ON FUNCTION "private"."landing_queue"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."landing_words"(uuid, text) IS NULL;

COMMENT ON FUNCTION "private"."last_line"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."leaders"(text, uuid) IS NULL;

COMMENT ON FUNCTION "private"."lease"() IS NULL;

COMMENT ON FUNCTION "private"."list_in_review"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."list_items"(text) IS NULL;

COMMENT ON FUNCTION "private"."listed_file_json"(public.files) IS NULL;

COMMENT ON FUNCTION "private"."lock_attempt"(public.agent_jobs, integer) IS NULL;

COMMENT ON FUNCTION "private"."lock_comment"(text, uuid, uuid) IS NULL;

COMMENT ON FUNCTION "private"."lock_for_budget"(uuid, integer, jsonb) IS NULL;

COMMENT ON FUNCTION "private"."lock_job"(uuid, boolean) IS NULL;

COMMENT ON FUNCTION "private"."lock_part"(text, uuid) IS NULL;

COMMENT ON FUNCTION "private"."lock_product"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."lock_question"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."lock_run"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."lock_work"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."lost_with"(text, jsonb) IS NULL;

COMMENT ON FUNCTION "private"."make_room_for_diffs"(uuid, bigint) IS NULL;

COMMENT ON FUNCTION "private"."may_change_view"(public.saved_views) IS NULL;

COMMENT ON FUNCTION "private"."may_read_talk"(public.agent_jobs) IS NULL;

COMMENT ON FUNCTION "private"."may_set_budgets"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."member_named"(uuid, text) IS NULL;

COMMENT ON FUNCTION "private"."mention_members"(public.comments) IS NULL;

COMMENT ON FUNCTION "private"."messages_json"(uuid[]) IS NULL;

COMMENT ON FUNCTION "private"."missing_proof"(uuid[], public.evidence_grade) IS NULL;

COMMENT ON FUNCTION "private"."model_of_worker"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."new_faults"(public.pulls, jsonb) IS NULL;

COMMENT ON FUNCTION "private"."next_code"(uuid, text) IS NULL;

COMMENT ON FUNCTION "private"."next_label_color"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."next_product"(uuid, uuid, uuid, uuid, jsonb, uuid[], boolean, jsonb) IS NULL;

COMMENT ON FUNCTION "private"."normalised_title"(text) IS NULL;

COMMENT ON FUNCTION "private"."note_attempt"(public.agent_jobs, private.job_report) IS NULL;

COMMENT ON FUNCTION "private"."note_budget_step"(public.agent_jobs, text) IS NULL;

COMMENT ON FUNCTION "private"."note_conflict"(public.agent_jobs, public.agent_jobs, jsonb, text) IS NULL;

COMMENT ON FUNCTION "private"."note_head"(uuid, public.agent_jobs, text) IS NULL;

COMMENT ON FUNCTION "private"."note_merged"(uuid, text) IS NULL;

COMMENT ON FUNCTION "private"."note_merged_requests"(uuid, uuid, timestamp with time zone) IS NULL;

COMMENT ON FUNCTION "private"."note_pull"(uuid, jsonb) IS NULL;

COMMENT ON FUNCTION "private"."note_released"(uuid[]) IS NULL;

COMMENT ON FUNCTION "private"."note_usage_so_far"(public.agent_jobs, jsonb) IS NULL;

COMMENT ON FUNCTION "private"."note_wrong_pairing_secret"(uuid, uuid) IS NULL;

COMMENT ON FUNCTION "private"."nothing_to_claim"(uuid, uuid, uuid[], boolean, jsonb) IS NULL;

COMMENT ON FUNCTION "private"."notify_review"(public.tasks) IS NULL;

COMMENT ON FUNCTION "private"."now"() IS NULL;

COMMENT ON FUNCTION "private"."oauth_answer"(text[]) IS NULL;

COMMENT ON FUNCTION "private"."oauth_refusal"(text) IS NULL;

COMMENT ON FUNCTION "private"."one_line"(text) IS NULL;

COMMENT ON FUNCTION "private"."open_messages"(public.agent_jobs) IS NULL;

COMMENT ON FUNCTION "private"."open_pause_question"(public.sprint_runs, uuid, text) IS NULL;

COMMENT ON FUNCTION "private"."open_product_ids"() IS NULL;

COMMENT ON FUNCTION "private"."order_by_dependencies"(uuid[]) IS NULL;

COMMENT ON FUNCTION "private"."order_runs"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."own_fields"(text, jsonb) IS NULL;

COMMENT ON FUNCTION "private"."own_run_branch"(public.products, uuid[]) IS NULL;

COMMENT ON FUNCTION "private"."own_session_id"() IS NULL;

COMMENT ON FUNCTION "private"."owned_product_ids"() IS NULL;

COMMENT ON FUNCTION "private"."pairing_check_code"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."park_job"(public.agent_jobs, uuid) IS NULL;

COMMENT ON FUNCTION "private"."parse_choice"(text, text, text[]) IS NULL;

COMMENT ON FUNCTION "private"."parse_task_status"(text) IS NULL;

COMMENT ON FUNCTION "private"."pass_review"(uuid, text) IS NULL;

COMMENT ON FUNCTION "private"."pass_turn"(uuid, uuid) IS NULL;

COMMENT ON FUNCTION "private"."passed_before"(uuid, jsonb) IS NULL;

COMMENT ON FUNCTION "private"."pause_for_budget"(public.sprint_runs, public.budgets, uuid) IS NULL;

COMMENT ON FUNCTION "private"."pause_run"(public.sprint_runs, text, text, jsonb, uuid, text[]) IS NULL;

COMMENT ON FUNCTION "private"."pause_until"(timestamp with time zone, integer, uuid) IS NULL;

COMMENT ON FUNCTION "private"."pbi_place"(uuid, integer, uuid, uuid, boolean) IS NULL;

COMMENT ON FUNCTION "private"."phase_after"(public.agent_jobs, public.verify_result) IS NULL;

COMMENT ON FUNCTION "private"."phase_after_verify"(public.agent_jobs, public.done_requires) IS NULL;

COMMENT ON FUNCTION "private"."place_of_comment"(public.comments) IS NULL;

COMMENT ON FUNCTION "private"."plans_first"(public.products, boolean) IS NULL;

COMMENT ON FUNCTION "private"."previous_failure"(public.agent_jobs) IS NULL;

COMMENT ON FUNCTION "private"."price_of"(text) IS NULL;

COMMENT ON FUNCTION "private"."price_usage"(jsonb) IS NULL;

COMMENT ON FUNCTION "private"."product_of"(text, uuid) IS NULL;

COMMENT ON FUNCTION "private"."products_past_due"() IS NULL;

COMMENT ON FUNCTION "private"."products_with_due_budgets"() IS NULL;

COMMENT ON FUNCTION "private"."products_without_consent"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."proof_count"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."proof_gap"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."proof_json"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."pull_digest"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."pull_json"(public.pulls) IS NULL;

COMMENT ON FUNCTION "private"."pull_reason"(public.agent_jobs, public.pulls) IS NULL;

COMMENT ON FUNCTION "private"."pull_reasons"(text, uuid) IS NULL;

COMMENT ON FUNCTION "private"."pull_said"(jsonb) IS NULL;

COMMENT ON FUNCTION "private"."pull_title"(public.agent_jobs) IS NULL;

COMMENT ON FUNCTION "private"."put_budget"(uuid, text, text, uuid, text, numeric) IS NULL;

COMMENT ON FUNCTION "private"."question_json"(public.agent_questions) IS NULL;

COMMENT ON FUNCTION "private"."question_status"(public.agent_questions) IS NULL;

COMMENT ON FUNCTION "private"."question_target"(uuid, uuid, uuid) IS NULL;

COMMENT ON FUNCTION "private"."queue_notices"(text, uuid, uuid, boolean, text, text, text, jsonb, uuid) IS NULL;

COMMENT ON FUNCTION "private"."quota_reason"(uuid, integer) IS NULL;

COMMENT ON FUNCTION "private"."quoted"(text) IS NULL;

COMMENT ON FUNCTION "private"."raise_budget"(public.budgets, numeric) IS NULL;

COMMENT ON FUNCTION "private"."rate_limit"(text) IS NULL;

COMMENT ON FUNCTION "private"."record_ci"(public.pulls, public.agent_jobs) IS NULL;

COMMENT ON FUNCTION "private"."record_evidence"(public.agent_jobs, jsonb) IS NULL;

COMMENT ON FUNCTION "private"."record_usage"(public.agent_jobs, integer, private.job_report) IS NULL;

COMMENT ON FUNCTION "private"."record_usage_event"(public.agent_jobs, integer, jsonb) IS NULL;

COMMENT ON FUNCTION "private"."record_usage_total"(public.agent_jobs, integer, private.job_report) IS NULL;

COMMENT ON FUNCTION "private"."recount_blockers"(uuid[]) IS NULL;

COMMENT ON FUNCTION "private"."recurrence_json"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."refuse"(integer, text, jsonb) IS NULL;

COMMENT ON FUNCTION "private"."refuse_attempt"(public.agent_jobs, integer, text) IS NULL;

COMMENT ON FUNCTION "private"."refuse_cycle"(text, uuid, uuid) IS NULL;

COMMENT ON FUNCTION "private"."refuse_evidence"(integer, text, text) IS NULL;

COMMENT ON FUNCTION "private"."refuse_former_member"(uuid, jsonb) IS NULL;

COMMENT ON FUNCTION "private"."refuse_gate"(public.verify_required, public.verify_result) IS NULL;

COMMENT ON FUNCTION "private"."refuse_moved_cycle"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."refuse_similar"(text, uuid, text) IS NULL;

COMMENT ON FUNCTION "private"."refuse_triage"(uuid[]) IS NULL;

COMMENT ON FUNCTION "private"."refuse_unproven"(jsonb) IS NULL;

COMMENT ON FUNCTION "private"."refuse_waiting"(uuid, uuid) IS NULL;

COMMENT ON FUNCTION "private"."reject_after_run"(public.agent_jobs) IS NULL;

COMMENT ON FUNCTION "private"."reject_review"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."release_held_tasks"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."release_noted"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."released"() IS NULL;

COMMENT ON FUNCTION "private"."remember_change"(text, uuid, uuid, text, jsonb, jsonb, text) IS NULL;

COMMENT ON FUNCTION "private"."remove_stale_rows"() IS NULL;

COMMENT ON FUNCTION "private"."reopen_job"(public.agent_jobs) IS NULL;

COMMENT ON FUNCTION "private"."reopen_run"(public.agent_jobs) IS NULL;

COMMENT ON FUNCTION "private"."reopen_tasks"(public.agent_jobs, uuid[]) IS NULL;

COMMENT ON FUNCTION "private"."repeats_report"(public.agent_jobs, text, text, public.failure_class, public.verify_result) IS NULL;

COMMENT ON FUNCTION "private"."reports_usage"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."repository_advice"(text) IS NULL;

COMMENT ON FUNCTION "private"."requeue_expired_leases"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."requeue_lost_job"(public.agent_jobs, text) IS NULL;

COMMENT ON FUNCTION "private"."require_access"(text, uuid) IS NULL;

COMMENT ON FUNCTION "private"."require_admin"() IS NULL;

COMMENT ON FUNCTION "private"."require_assignee"(uuid, uuid) IS NULL;

COMMENT ON FUNCTION "private"."require_blocker"(text, uuid, text) IS NULL;

COMMENT ON FUNCTION "private"."require_budget_left"(public.sprint_runs) IS NULL;

COMMENT ON FUNCTION "private"."require_choice"(text, text, text[]) IS NULL;

COMMENT ON FUNCTION "private"."require_comment_body"(text) IS NULL;

COMMENT ON FUNCTION "private"."require_comment_place"(text) IS NULL;

COMMENT ON FUNCTION "private"."require_commenter"(text, uuid) IS NULL;

COMMENT ON FUNCTION "private"."require_criterion"(uuid, text, integer) IS NULL;

COMMENT ON FUNCTION "private"."require_dates_in_order"(date, date) IS NULL;

COMMENT ON FUNCTION "private"."require_evidence_file"(uuid, jsonb, text, integer) IS NULL;

COMMENT ON FUNCTION "private"."require_file_place"(uuid, uuid, uuid, uuid, uuid) IS NULL;

COMMENT ON FUNCTION "private"."require_file_room"(uuid, integer) IS NULL;

COMMENT ON FUNCTION "private"."require_idea_write"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."require_job"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."require_job_reader"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."require_keys_left"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."require_label"(uuid, uuid) IS NULL;

COMMENT ON FUNCTION "private"."require_label_name"(uuid, text, uuid) IS NULL;

COMMENT ON FUNCTION "private"."require_labels"(uuid, jsonb) IS NULL;

COMMENT ON FUNCTION "private"."require_link"(text, text) IS NULL;

COMMENT ON FUNCTION "private"."require_look"(jsonb) IS NULL;

COMMENT ON FUNCTION "private"."require_no_demo"() IS NULL;

COMMENT ON FUNCTION "private"."require_no_viewer"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."require_one_product"(uuid[], uuid) IS NULL;

COMMENT ON FUNCTION "private"."require_own_idea"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."require_own_view"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."require_pairing_guesses_left"(public.login_pairings, uuid) IS NULL;

COMMENT ON FUNCTION "private"."require_person"() IS NULL;

COMMENT ON FUNCTION "private"."require_product_access"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."require_product_owner"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."require_product_write"(uuid, boolean) IS NULL;

COMMENT ON FUNCTION "private"."require_proof"(uuid, public.task_status) IS NULL;

COMMENT ON FUNCTION "private"."require_question_reader"(public.agent_questions) IS NULL;

COMMENT ON FUNCTION "private"."require_review"(public.agent_jobs) IS NULL;

COMMENT ON FUNCTION "private"."require_reviewable"(public.agent_jobs, text) IS NULL;

COMMENT ON FUNCTION "private"."require_reviewer"(public.agent_jobs) IS NULL;

COMMENT ON FUNCTION "private"."require_run"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."require_scope"(text[], text) IS NULL;

COMMENT ON FUNCTION "private"."require_set_aside"(public.stories) IS NULL;

COMMENT ON FUNCTION "private"."require_stream_product"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."require_triage"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."require_unlimited_token"() IS NULL;

COMMENT ON FUNCTION "private"."require_version"(text, uuid, jsonb) IS NULL;

COMMENT ON FUNCTION "private"."require_view_name"(uuid, text, uuid, text, uuid) IS NULL;

COMMENT ON FUNCTION "private"."require_webhook"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."require_write"(text, uuid) IS NULL;

COMMENT ON FUNCTION "private"."require_writer"() IS NULL;

COMMENT ON FUNCTION "private"."reserve_budget"(public.agent_jobs, private.budget_room[]) IS NULL;

COMMENT ON FUNCTION "private"."resolve_credential"(jsonb) IS NULL;

COMMENT ON FUNCTION "private"."restore_fields"(private.changes) IS NULL;

COMMENT ON FUNCTION "private"."restore_thing"(private.changes) IS NULL;

COMMENT ON FUNCTION "private"."restore_unmerged"(private.changes) IS NULL;

COMMENT ON FUNCTION "private"."resume_batch_run"(public.sprint_runs) IS NULL;

COMMENT ON FUNCTION "private"."return_for_pull"(public.pulls, public.agent_jobs, jsonb) IS NULL;

COMMENT ON FUNCTION "private"."return_work"(public.agent_jobs, text, text, text) IS NULL;

COMMENT ON FUNCTION "private"."review_costs"(uuid[], uuid) IS NULL;

COMMENT ON FUNCTION "private"."review_evidence"(uuid, text, uuid) IS NULL;

COMMENT ON FUNCTION "private"."review_json"(public.job_reviews) IS NULL;

COMMENT ON FUNCTION "private"."review_payload"(public.agent_jobs) IS NULL;

COMMENT ON FUNCTION "private"."reviewed_job"(public.agent_jobs) IS NULL;

COMMENT ON FUNCTION "private"."reviewed_story"(public.stories, uuid, uuid[]) IS NULL;

COMMENT ON FUNCTION "private"."run_begins_from"(uuid, public.pr_strategy) IS NULL;

COMMENT ON FUNCTION "private"."run_blockers"(public.sprints, public.products, uuid[], uuid[], boolean, boolean) IS NULL;

COMMENT ON FUNCTION "private"."run_branch"(public.sprints, public.products) IS NULL;

COMMENT ON FUNCTION "private"."run_json"(public.sprint_runs, boolean) IS NULL;

COMMENT ON FUNCTION "private"."run_overlaps"(public.sprint_runs) IS NULL;

COMMENT ON FUNCTION "private"."run_reasons"(public.sprint_runs) IS NULL;

COMMENT ON FUNCTION "private"."run_scope"(uuid[]) IS NULL;

COMMENT ON FUNCTION "private"."run_subject"(public.sprint_runs) IS NULL;

COMMENT ON FUNCTION "private"."run_tasks"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."run_waits"(public.sprint_runs) IS NULL;

COMMENT ON FUNCTION "private"."run_with_work"(uuid[]) IS NULL;

COMMENT ON FUNCTION "private"."sandbox_advice"() IS NULL;

COMMENT ON FUNCTION "private"."saved_view_json"(public.saved_views) IS NULL;

COMMENT ON FUNCTION "private"."saved_views_of"(uuid, text) IS NULL;

COMMENT ON FUNCTION "private"."scope_of_words"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."scoped_words"(uuid, text, text, text) IS NULL;

COMMENT ON FUNCTION "private"."search_blocked"(text, uuid, text, integer, integer) IS NULL;

COMMENT ON FUNCTION "private"."send_conflict_home"(public.agent_jobs, public.agent_jobs, jsonb, boolean) IS NULL;

COMMENT ON FUNCTION "private"."send_events"() IS NULL;

COMMENT ON FUNCTION "private"."send_to_agent"(public.comments) IS NULL;

COMMENT ON FUNCTION "private"."set_dependency_release"(uuid, public.dependency_release) IS NULL;

COMMENT ON FUNCTION "private"."set_merged"(uuid[], timestamp with time zone) IS NULL;

COMMENT ON FUNCTION "private"."set_role_by_claim"(uuid, boolean) IS NULL;

COMMENT ON FUNCTION "private"."settle_budget"(public.budgets) IS NULL;

COMMENT ON FUNCTION "private"."settle_budgets"(uuid, uuid) IS NULL;

COMMENT ON FUNCTION "private"."settle_item"(uuid, text, uuid) IS NULL;

COMMENT ON FUNCTION "private"."settle_messages"(public.agent_jobs, public.agent_jobs) IS NULL;

COMMENT ON FUNCTION "private"."settle_scope"(public.sprints, public.products, uuid[], boolean, boolean, boolean) IS NULL;

COMMENT ON FUNCTION "private"."settle_task_waiting"(public.tasks, public.tasks) IS NULL;

COMMENT ON FUNCTION "private"."settle_waiting"(uuid[]) IS NULL;

COMMENT ON FUNCTION "private"."share_product"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."shipped_prices"() IS NULL;

COMMENT ON FUNCTION "private"."shorten_event"(jsonb) IS NULL;

COMMENT ON FUNCTION "private"."sort_order_from_code"(text) IS NULL;

COMMENT ON FUNCTION "private"."spread_of"(numeric[], integer) IS NULL;

COMMENT ON FUNCTION "private"."sprint_task_ids"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."steerable_jobs"(public.comments, public.agent_job_status[]) IS NULL;

COMMENT ON FUNCTION "private"."stop_failed_run"(public.tasks) IS NULL;

COMMENT ON FUNCTION "private"."stop_for_budget"(public.agent_jobs, public.budgets) IS NULL;

COMMENT ON FUNCTION "private"."stop_run_at"(public.sprint_runs, jsonb) IS NULL;

COMMENT ON FUNCTION "private"."stories_of_tasks"(uuid[]) IS NULL;

COMMENT ON FUNCTION "private"."stories_to_finish"(public.agent_jobs) IS NULL;

COMMENT ON FUNCTION "private"."story_branch"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."story_json"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."story_of_line"(public.agent_jobs, jsonb, integer) IS NULL;

COMMENT ON FUNCTION "private"."story_place"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."story_proof"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."stream_viewer"() IS NULL;

COMMENT ON FUNCTION "private"."sum_budget"(public.budgets) IS NULL;

COMMENT ON FUNCTION "private"."sum_budgets"(public.agent_jobs) IS NULL;

COMMENT ON FUNCTION "private"."sum_usage"(uuid, text) IS NULL;

COMMENT ON FUNCTION "private"."take_back_expired"(uuid, uuid) IS NULL;

COMMENT ON FUNCTION "private"."take_idempotency_key"(uuid, text, bytea) IS NULL;

COMMENT ON FUNCTION "private"."take_job"(uuid, uuid, uuid, uuid, jsonb, uuid[], public.confinement, jsonb) IS NULL;

COMMENT ON FUNCTION "private"."take_rate_limit"(text, text) IS NULL;

COMMENT ON FUNCTION "private"."task_history"(text, uuid) IS NULL;

COMMENT ON FUNCTION "private"."task_ids_of"(jsonb) IS NULL;

COMMENT ON FUNCTION "private"."task_json"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."task_reasons"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."task_states"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."task_status_word"(public.task_status) IS NULL;

COMMENT ON FUNCTION "private"."tasks_in_order"(uuid[]) IS NULL;

COMMENT ON FUNCTION "private"."tasks_of_job"(public.agent_jobs) IS NULL;

COMMENT ON FUNCTION "private"."tasks_of_work"(public.agent_job_kind, uuid, uuid) IS NULL;

COMMENT ON FUNCTION "private"."tasks_to_start"(uuid[]) IS NULL;

COMMENT ON FUNCTION "private"."tell_invited"(uuid, uuid) IS NULL;

COMMENT ON FUNCTION "private"."tell_mentioned"(public.comments, uuid) IS NULL;

COMMENT ON FUNCTION "private"."tell_triage"(uuid[]) IS NULL;

COMMENT ON FUNCTION "private"."tg_agent_jobs__count_blockers"() IS NULL;

COMMENT ON FUNCTION "private"."tg_agent_jobs__emit"() IS NULL;

COMMENT ON FUNCTION "private"."tg_agent_jobs__follow"() IS NULL;

COMMENT ON FUNCTION "private"."tg_agent_jobs__settle_merged"() IS NULL;

COMMENT ON FUNCTION "private"."tg_agent_jobs__stamp"() IS NULL;

COMMENT ON FUNCTION "private"."tg_agent_messages__emit"() IS NULL;

COMMENT ON FUNCTION "private"."tg_agent_messages__lose_job"() IS NULL;

COMMENT ON FUNCTION "private"."tg_agent_questions__emit"() IS NULL;

COMMENT ON FUNCTION "private"."tg_agent_questions__notices"() IS NULL;

COMMENT ON FUNCTION "private"."tg_agent_workers__emit"() IS NULL;

COMMENT ON FUNCTION "private"."tg_any__assign_code"() IS NULL;

COMMENT ON FUNCTION "private"."tg_any__keep_labels"() IS NULL;

COMMENT ON FUNCTION "private"."tg_any__keep_product"() IS NULL;

COMMENT ON FUNCTION "private"."tg_any__lock_product"() IS NULL;

COMMENT ON FUNCTION "private"."tg_any__lock_products"() IS NULL;

COMMENT ON FUNCTION "private"."tg_any__raise_version"() IS NULL;

COMMENT ON FUNCTION "private"."tg_any__remember_change"() IS NULL;

COMMENT ON FUNCTION "private"."tg_any__sort_order"() IS NULL;

COMMENT ON FUNCTION "private"."tg_any__take_rate_limit"() IS NULL;

COMMENT ON FUNCTION "private"."tg_any__tell_inbox"() IS NULL;

COMMENT ON FUNCTION "private"."tg_any__touch"() IS NULL;

COMMENT ON FUNCTION "private"."tg_api_tokens__emit"() IS NULL;

COMMENT ON FUNCTION "private"."tg_auth_users__copy_email"() IS NULL;

COMMENT ON FUNCTION "private"."tg_auth_users__create_profile"() IS NULL;

COMMENT ON FUNCTION "private"."tg_comment_mentions__tell_inbox"() IS NULL;

COMMENT ON FUNCTION "private"."tg_comments__emit"() IS NULL;

COMMENT ON FUNCTION "private"."tg_event_flushes__send"() IS NULL;

COMMENT ON FUNCTION "private"."tg_evidence__emit"() IS NULL;

COMMENT ON FUNCTION "private"."tg_files__emit"() IS NULL;

COMMENT ON FUNCTION "private"."tg_idea_products__log"() IS NULL;

COMMENT ON FUNCTION "private"."tg_ideas__emit"() IS NULL;

COMMENT ON FUNCTION "private"."tg_ideas__guard_insert"() IS NULL;

COMMENT ON FUNCTION "private"."tg_ideas__guard_status"() IS NULL;

COMMENT ON FUNCTION "private"."tg_ideas__log"() IS NULL;

COMMENT ON FUNCTION "private"."tg_landings__emit"() IS NULL;

COMMENT ON FUNCTION "private"."tg_login_pairings__emit"() IS NULL;

COMMENT ON FUNCTION "private"."tg_pbis__append"() IS NULL;

COMMENT ON FUNCTION "private"."tg_pbis__derive_status"() IS NULL;

COMMENT ON FUNCTION "private"."tg_pbis__emit"() IS NULL;

COMMENT ON FUNCTION "private"."tg_pbis__note_merged"() IS NULL;

COMMENT ON FUNCTION "private"."tg_product_members__clear_active"() IS NULL;

COMMENT ON FUNCTION "private"."tg_product_members__emit"() IS NULL;

COMMENT ON FUNCTION "private"."tg_products__add_owner"() IS NULL;

COMMENT ON FUNCTION "private"."tg_products__clear_active"() IS NULL;

COMMENT ON FUNCTION "private"."tg_products__emit"() IS NULL;

COMMENT ON FUNCTION "private"."tg_products__guard_archived"() IS NULL;

COMMENT ON FUNCTION "private"."tg_products__guard_code"() IS NULL;

COMMENT ON FUNCTION "private"."tg_products__join_auto_pr"() IS NULL;

COMMENT ON FUNCTION "private"."tg_pulls__emit"() IS NULL;

COMMENT ON FUNCTION "private"."tg_sprint_runs__carry_budget"() IS NULL;

COMMENT ON FUNCTION "private"."tg_sprint_runs__emit"() IS NULL;

COMMENT ON FUNCTION "private"."tg_sprint_runs__notices"() IS NULL;

COMMENT ON FUNCTION "private"."tg_sprints__emit"() IS NULL;

COMMENT ON FUNCTION "private"."tg_stories__copy_product"() IS NULL;

COMMENT ON FUNCTION "private"."tg_stories__derive_status"() IS NULL;

COMMENT ON FUNCTION "private"."tg_stories__emit"() IS NULL;

COMMENT ON FUNCTION "private"."tg_stories__guard_sprint"() IS NULL;

COMMENT ON FUNCTION "private"."tg_stories__lock_pbi"() IS NULL;

COMMENT ON FUNCTION "private"."tg_stories__remember_place"() IS NULL;

COMMENT ON FUNCTION "private"."tg_story_dependencies__emit"() IS NULL;

COMMENT ON FUNCTION "private"."tg_story_dependencies__recount"() IS NULL;

COMMENT ON FUNCTION "private"."tg_story_logs__copy_product"() IS NULL;

COMMENT ON FUNCTION "private"."tg_story_logs__emit"() IS NULL;

COMMENT ON FUNCTION "private"."tg_task_dependencies__emit"() IS NULL;

COMMENT ON FUNCTION "private"."tg_task_dependencies__recount"() IS NULL;

COMMENT ON FUNCTION "private"."tg_task_executions__advance_task"() IS NULL;

COMMENT ON FUNCTION "private"."tg_task_executions__emit"() IS NULL;

COMMENT ON FUNCTION "private"."tg_task_executions__recount"() IS NULL;

COMMENT ON FUNCTION "private"."tg_task_executions__stamp"() IS NULL;

COMMENT ON FUNCTION "private"."tg_tasks__copy_product"() IS NULL;

COMMENT ON FUNCTION "private"."tg_tasks__emit"() IS NULL;

COMMENT ON FUNCTION "private"."tg_tasks__follow"() IS NULL;

COMMENT ON FUNCTION "private"."tg_tasks__keep_batch_job"() IS NULL;

COMMENT ON FUNCTION "private"."tg_tasks__repo_url_by"() IS NULL;

COMMENT ON FUNCTION "private"."tg_user_questions__emit"() IS NULL;

COMMENT ON FUNCTION "private"."tg_user_sessions__emit"() IS NULL;

COMMENT ON FUNCTION "private"."tg_waivers__emit"() IS NULL;

COMMENT ON FUNCTION "private"."touch_credential"(uuid, uuid) IS NULL;

COMMENT ON FUNCTION "private"."touch_worker"(uuid, text, text, integer, public.confinement, jsonb) IS NULL;

COMMENT ON FUNCTION "private"."try_share_product"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."unlanded_work"(uuid[], uuid) IS NULL;

COMMENT ON FUNCTION "private"."unmerged_work"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."unmerged_works"(text, uuid) IS NULL;

COMMENT ON FUNCTION "private"."unpark_job"(public.agent_questions) IS NULL;

COMMENT ON FUNCTION "private"."unreported_jobs"(public.budgets) IS NULL;

COMMENT ON FUNCTION "private"."usage_by"(uuid, uuid) IS NULL;

COMMENT ON FUNCTION "private"."usage_in_unit"(jsonb, text) IS NULL;

COMMENT ON FUNCTION "private"."usage_key_json"(text, text) IS NULL;

COMMENT ON FUNCTION "private"."usage_under"(public.budgets, timestamp with time zone, bigint) IS NULL;

COMMENT ON FUNCTION "private"."user_question_json"(public.user_questions) IS NULL;

COMMENT ON FUNCTION "private"."username"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."verifiers_report"(private.job_report) IS NULL;

COMMENT ON FUNCTION "private"."verify_rounds"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."verify_work"(public.agent_jobs, public.task_executions, text, jsonb, jsonb, text, text) IS NULL;

COMMENT ON FUNCTION "private"."void_proof"(public.agent_jobs) IS NULL;

COMMENT ON FUNCTION "private"."waiting_for"(uuid[], uuid[]) IS NULL;

COMMENT ON FUNCTION "private"."waits_for_ci"(public.tasks_in_review) IS NULL;

COMMENT ON FUNCTION "private"."waiver_json"(public.waivers) IS NULL;

COMMENT ON FUNCTION "private"."wants_pull"(public.agent_jobs) IS NULL;

COMMENT ON FUNCTION "private"."warn_of_budget"(public.budgets, numeric) IS NULL;

COMMENT ON FUNCTION "private"."was_started_over"(uuid, timestamp with time zone) IS NULL;

COMMENT ON FUNCTION "private"."webhook_json"(public.webhooks) IS NULL;

COMMENT ON FUNCTION "private"."weigh_budgets"(uuid, uuid, boolean) IS NULL;

COMMENT ON FUNCTION "private"."with_comments"(json, uuid) IS NULL;

COMMENT ON FUNCTION "private"."with_deliveries"(json, uuid) IS NULL;

COMMENT ON FUNCTION "private"."with_key"(json, text, json) IS NULL;

COMMENT ON FUNCTION "private"."with_labels"(json, uuid[]) IS NULL;

COMMENT ON FUNCTION "private"."words_in_scopes"(text[], text[]) IS NULL;

COMMENT ON FUNCTION "private"."worker_json"(public.agent_workers) IS NULL;

COMMENT ON FUNCTION "private"."worker_reasons"(public.agent_jobs) IS NULL;

COMMENT ON FUNCTION "private"."workers_online"(uuid[]) IS NULL;

COMMENT ON FUNCTION "private"."writable_product_ids"() IS NULL;

COMMENT ON FUNCTION "private"."write_down_expired"(boolean, uuid[]) IS NULL;

COMMENT ON FUNCTION "public"."authenticate"(jsonb) IS NULL;

COMMENT ON FUNCTION "public"."call_as"(jsonb, text, jsonb, text) IS NULL;

COMMENT ON FUNCTION "public"."call_service"(text, jsonb) IS NULL;

COMMENT ON TYPE "private"."budget_room" IS NULL;

COMMENT ON TYPE "private"."job_report" IS NULL;

COMMENT ON TYPE "private"."principal" IS NULL;

COMMENT ON TYPE "private"."proven_criterion" IS NULL;

COMMENT ON TYPE "public"."agent_items" IS NULL;

COMMENT ON TYPE "public"."agent_job_kind" IS NULL;

COMMENT ON TYPE "public"."agent_job_status" IS NULL;

COMMENT ON TYPE "public"."agent_question_status" IS NULL;

COMMENT ON TYPE "public"."confinement" IS NULL;

COMMENT ON TYPE "public"."dependency_release" IS NULL;

COMMENT ON TYPE "public"."done_requires" IS NULL;

COMMENT ON TYPE "public"."evidence_grade" IS NULL;

COMMENT ON TYPE "public"."evidence_kind" IS NULL;

COMMENT ON TYPE "public"."evidence_verdict" IS NULL;

COMMENT ON TYPE "public"."failure_class" IS NULL;

COMMENT ON TYPE "public"."idea_status" IS NULL;

COMMENT ON TYPE "public"."job_phase" IS NULL;

COMMENT ON TYPE "public"."landing" IS NULL;

COMMENT ON TYPE "public"."member_role" IS NULL;

COMMENT ON TYPE "public"."message_state" IS NULL;

COMMENT ON TYPE "public"."notice_status" IS NULL;

COMMENT ON TYPE "public"."pairing_status" IS NULL;

COMMENT ON TYPE "public"."pbi_status" IS NULL;

COMMENT ON TYPE "public"."plan_first" IS NULL;

COMMENT ON TYPE "public"."pr_strategy" IS NULL;

COMMENT ON TYPE "public"."pull_requests" IS NULL;

COMMENT ON TYPE "public"."question_expiry" IS NULL;

COMMENT ON TYPE "public"."question_kind" IS NULL;

COMMENT ON TYPE "public"."sprint_run_status" IS NULL;

COMMENT ON TYPE "public"."sprint_status" IS NULL;

COMMENT ON TYPE "public"."story_log_status" IS NULL;

COMMENT ON TYPE "public"."story_log_type" IS NULL;

COMMENT ON TYPE "public"."story_status" IS NULL;

COMMENT ON TYPE "public"."task_execution_status" IS NULL;

COMMENT ON TYPE "public"."task_status" IS NULL;

COMMENT ON TYPE "public"."user_question_status" IS NULL;

COMMENT ON TYPE "public"."user_role" IS NULL;

COMMENT ON TYPE "public"."user_theme" IS NULL;

COMMENT ON TYPE "public"."verify_required" IS NULL;

COMMENT ON TYPE "public"."verify_result" IS NULL;

COMMENT ON VIEW "private"."claimable_jobs" IS NULL;

COMMENT ON VIEW "private"."idea_shape" IS NULL;

COMMENT ON VIEW "private"."known_usage" IS NULL;

COMMENT ON VIEW "private"."pbi_shape" IS NULL;

COMMENT ON VIEW "private"."product_detail_shape" IS NULL;

COMMENT ON VIEW "private"."product_shape" IS NULL;

COMMENT ON VIEW "private"."sprint_shape" IS NULL;

COMMENT ON VIEW "private"."story_log_shape" IS NULL;

COMMENT ON VIEW "private"."story_shape" IS NULL;

COMMENT ON VIEW "private"."task_blockers" IS NULL;

COMMENT ON VIEW "private"."task_detail_shape" IS NULL;

COMMENT ON VIEW "private"."task_shape" IS NULL;

COMMENT ON VIEW "private"."works" IS NULL;

COMMENT ON COLUMN "public"."stories"."label_ids" IS 'Its labels (labels), in the order of their names.';

COMMENT ON COLUMN "public"."tasks"."label_ids" IS 'Its labels (labels), in the order of their names.';

comment on column public.stories.is_template is
  'It recurs (recurrences) and is never worked on itself: set aside like what waits in triage, with the status TEMPLATE.';
