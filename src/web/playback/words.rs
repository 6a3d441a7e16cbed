//! The texts of the player.

crate::i18n::words! {
    /// The catalogue.
    pub struct Words {
        player = "Playback", "回放";
        play = "Play", "播放";
        pause = "Pause", "暂停";
        again = "Play again", "重播";
        time = "Time", "时间";
        /// In place of the playback, without JavaScript.
        without_script =
            "The playback needs JavaScript, which this browser does not run.",
            "回放需要 JavaScript，而此浏览器没有运行它。";
        /// The result as a picture: shared, where the browser can do that, and otherwise saved as a file.
        picture = "Result as a picture", "结果图片";
    }
}
